"""What the studies of feature emergence share: the text's training, lanes and what they must meet."""
