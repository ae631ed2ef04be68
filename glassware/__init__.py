"""A laboratory for test-tube tasks."""
