"""Pallas kernels for two-layer ReLU networks."""
