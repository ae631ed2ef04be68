"""The one exception users meet: a sentence that says what is wrong and what would be valid."""


class GlasswareError(Exception):
    """Bad input, or a store that cannot be used. Its text is one sentence; the command prints it and exits with 2."""


class StoreError(GlasswareError):
    """A results store that cannot be read or written; the text names the file."""
