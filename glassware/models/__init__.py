"""Networks as pure init/apply pairs, their first weights, and the kernel machines they are compared with."""

from glassware.models.init import SCHEMES, Init
from glassware.models.kernel import KernelRidge
from glassware.models.mlp import MLP, Params

__all__ = ["MLP", "SCHEMES", "Init", "KernelRidge", "Params"]
