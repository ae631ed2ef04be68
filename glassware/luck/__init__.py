"""Luck priced: when to restart, what a success costs, what to train."""

from glassware.luck.plan import Advice, plan
from glassware.luck.price import Cell, cells, pareto_front, price
from glassware.luck.restart import Restart, optimal_restart

__all__ = ["Advice", "Cell", "Restart", "cells", "optimal_restart", "pareto_front", "plan", "price"]
