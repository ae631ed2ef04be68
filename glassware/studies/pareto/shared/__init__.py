"""What the studies share that compare ways of training."""
