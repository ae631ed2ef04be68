"""Variable creation: sparse functions by attention, and how many of them there are (the dissertation's chapter 4)."""
