"""Networks as pure init/apply pairs, their first weights, and the solved models they are compared with."""

from glassware.models.activations import ACTIVATIONS, Activation
from glassware.models.causal import CausalTransformer, MinimalInduction
from glassware.models.cls_transformer import ClsTransformer
from glassware.models.fixed import Monomials, RandomFeatures
from glassware.models.gated import Gated
from glassware.models.homogeneous import GroupNet, Homogeneous, PowerNet
from glassware.models.init import SCHEMES, Init
from glassware.models.kernel import KernelRidge
from glassware.models.mirrored import Mirrored
from glassware.models.mlp import MLP
from glassware.models.model import Model, Params
from glassware.models.neuron import Neuron
from glassware.models.paired import Paired
from glassware.models.polynet import PolyNet
from glassware.models.readout import Readout
from glassware.models.softmax_induction import SoftmaxInduction
from glassware.models.solved import Solved
from glassware.models.transformer import Transformer

# Every model a run can have, by the name it is given in specifications. A new one is one line here.
MODELS: dict[str, type[Model] | type[Solved]] = {
    "mlp": MLP,
    "kernel-ridge": KernelRidge,
    "neuron": Neuron,
    "paired": Paired,
    "mirrored": Mirrored,
    "gated": Gated,
    "polynet": PolyNet,
    "transformer": Transformer,
    "group-net": GroupNet,
    "power-net": PowerNet,
    "random-features": RandomFeatures,
    "monomials": Monomials,
    "readout": Readout,
    "causal-transformer": CausalTransformer,
    "minimal-induction": MinimalInduction,
    "softmax-induction": SoftmaxInduction,
    "cls-transformer": ClsTransformer,
}

__all__ = [
    "ACTIVATIONS",
    "MLP",
    "MODELS",
    "SCHEMES",
    "Activation",
    "CausalTransformer",
    "ClsTransformer",
    "Gated",
    "GroupNet",
    "Homogeneous",
    "Init",
    "KernelRidge",
    "MinimalInduction",
    "Mirrored",
    "Model",
    "Monomials",
    "Neuron",
    "Paired",
    "Params",
    "PolyNet",
    "PowerNet",
    "RandomFeatures",
    "Readout",
    "SoftmaxInduction",
    "Solved",
    "Transformer",
]
