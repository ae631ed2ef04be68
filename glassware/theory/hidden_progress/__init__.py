"""Theorems of Hidden Progress in Deep Learning."""
