"""Theorems of Pareto Frontiers in Deep Feature Learning."""
