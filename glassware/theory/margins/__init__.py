"""Theorems of Feature Emergence via Margin Maximization."""
