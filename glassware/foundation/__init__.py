"""What every other package stands on: errors, parts, random draws, statistics, JAX on first use."""
