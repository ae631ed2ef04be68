"""Reports: what a store says about studies and sweeps, written as one file that one sends.

Nothing here trains or writes into a store, and nothing loads from a network: styles, scripts and data are in the file.
"""
