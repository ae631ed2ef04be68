"""The commands, one file per family; cli.py lists them. They import JAX when called, so that help is quick."""
