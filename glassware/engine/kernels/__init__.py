"""Pallas kernels for networks of one layer or two."""
