"""Theorems of Learning Parities with Neural Networks."""
