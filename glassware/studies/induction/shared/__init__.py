"""What the studies of induction heads share: runs, phases of training, levels of the strategies."""
