"""Networks as pure init/apply pairs, and how their first weights are drawn."""

from glassware.models.init import SCHEMES, Init
from glassware.models.mlp import MLP, Params

__all__ = ["MLP", "SCHEMES", "Init", "Params"]
