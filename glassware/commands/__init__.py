"""The commands, one file a family; cli.py lists them. JAX is imported inside them, so that help is quick."""
