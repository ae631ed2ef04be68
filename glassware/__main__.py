"""``python -m glassware`` is the command ``glassware``."""

from glassware.cli import main

if __name__ == "__main__":
    main()
