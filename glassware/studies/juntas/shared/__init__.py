"""What the studies of juntas share."""
