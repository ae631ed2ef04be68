"""The one exception users meet: a sentence that says what is wrong and what would be valid."""


class GlasswareError(Exception):
    """Bad input, or a store that cannot be used. Its text is one sentence; the command prints it and exits with 2."""


class SpecificationError(GlasswareError, ValueError):
    """A run, or a part of one, that cannot be: a field that does not exist, or a value that does not fit."""


class StoreError(GlasswareError):
    """A results store that cannot be read or written; the text names the file."""
