"""Closed forms of the papers, as functions that return numbers."""
