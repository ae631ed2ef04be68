"""The public functions, one file per subject; ``glassware`` passes their names on.

Nothing is imported here: a process that only sweeps must not load the studies and the charts.
"""
