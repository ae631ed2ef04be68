"""What the studies of Hidden Progress share: settings, runs, look-ups, fits, printed tables."""
