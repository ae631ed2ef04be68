"""Altair chart builders shared by the studies."""
