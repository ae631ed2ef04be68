"""Results to look at: the report that one sends, and the page that ``glassware open`` serves.

Nothing here trains or writes into a store, and nothing loads from a network: styles, scripts and data are in the page.
"""
