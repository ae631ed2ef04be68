"""What the studies beyond the paper share."""
