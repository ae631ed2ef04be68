"""PyTorch's part of ``benchmarks.juntas_speed``: a process that trains Transformers on juntas when it is asked to.

It needs nothing but PyTorch, so it may run under another Python. The problem comes as the first line of its input, as
JSON; then every line asks for so many seconds of training, and the answer says how many model-steps that were.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import cross_entropy, dropout, gelu, layer_norm

STEPS = 5  # between two looks at the clock


def weights(lanes: int, length: int, d: int, place: torch.device) -> dict[str, torch.Tensor]:
    """First weights of so many networks."""
    sizes = {"tokens": (3, d), "positions": (length + 1, d), "q": (d, d), "k": (d, d), "v": (d, d), "out": (d, d),
             "up": (d, 4 * d), "down": (4 * d, d), "w": (d, 2)}  # fmt: skip
    found = {name: 0.02 * torch.randn(lanes, *size, device=place) for name, size in sizes.items()}
    biases = {"q": d, "k": d, "v": d, "out": d, "up": 4 * d, "down": d}
    found |= {f"{name}_bias": torch.zeros(lanes, 1, size, device=place) for name, size in biases.items()}
    for name in ("attention", "mlp", "last"):
        found |= {f"{name}_scale": torch.ones(lanes, 1, d, device=place)}
        found |= {f"{name}_shift": torch.zeros(lanes, 1, d, device=place)}
    return {name: leaf.requires_grad_() for name, leaf in found.items()}


def logits(p: dict[str, torch.Tensor], x: torch.Tensor, heads: int, rates: dict[str, float]) -> torch.Tensor:
    """Of networks (lanes) on their batches (lanes, m, T): keys and values of all tokens, the query of [CLS] alone."""
    lanes, m, t = x.shape
    d = p["q"].shape[1]
    norm = lambda z, name: layer_norm(z, (d,)) * p[f"{name}_scale"] + p[f"{name}_shift"]
    bits = p["tokens"][:, None, None, 0] + x[..., None] * (p["tokens"][:, 1] - p["tokens"][:, 0])[:, None, None]
    cls = p["tokens"][:, 2][:, None, None].expand(lanes, m, 1, d)
    z = dropout(torch.cat([bits, cls], 2) + p["positions"][:, None], rates["embedding"])
    inner = norm(z.reshape(lanes, -1, d), "attention")
    k, v = (torch.baddbmm(p[f"{n}_bias"], inner, p[n]).view(lanes, m, t + 1, heads, -1) for n in ("k", "v"))
    last = inner.view(lanes, m, t + 1, d)[:, :, -1]
    q = torch.baddbmm(p["q_bias"], last, p["q"]).view(lanes, m, heads, -1)
    share = torch.softmax(torch.einsum("lmhj,lmthj->lmht", q, k) / math.sqrt(d // heads), -1)
    mixed = torch.einsum("lmht,lmthj->lmhj", dropout(share, rates["attention"]), v).reshape(lanes, m, d)
    z = z[:, :, -1] + dropout(torch.baddbmm(p["out_bias"], mixed, p["out"]), rates["output"])
    hidden = gelu(torch.baddbmm(p["up_bias"], norm(z, "mlp"), p["up"]))
    z = z + dropout(torch.baddbmm(p["down_bias"], hidden, p["down"]), rates["output"])
    return torch.bmm(norm(z, "last"), p["w"])


def steps_of(problem: dict[str, Any], lanes: int, place: torch.device) -> Callable[[], torch.Tensor]:
    """One step of AdamW with clipping, on the same full batches every time."""
    m, t = problem["m"], problem["length"]
    x = (torch.rand(lanes, m, t, device=place) < 0.7937).float()
    y = x[..., :3].prod(-1).long()
    p = weights(lanes, t, problem["width"], place)
    optimiser = torch.optim.AdamW(p.values(), lr=1e-3, weight_decay=1e-4)

    def step() -> torch.Tensor:
        outputs = logits(p, x, problem["heads"], problem["rates"])
        losses = cross_entropy(outputs.flatten(0, 1), y.flatten(), reduction="none").view(lanes, m).mean(1)
        optimiser.zero_grad()
        losses.sum().backward()
        grads = [leaf.grad for leaf in p.values() if leaf.grad is not None]
        norms = torch.stack([g.flatten(1).square().sum(1) for g in grads]).sum(0).sqrt()
        factors = (1 / norms.clamp(min=1e-6)).clamp(max=1)
        for g in grads:
            g.mul_(factors.view(-1, *[1] * (g.dim() - 1)))
        optimiser.step()
        return losses.detach()

    return step


def main() -> None:
    """Answer until the input ends."""
    problem = json.loads(sys.stdin.readline())
    torch.set_flush_denormal(True)  # as XLA does
    if problem["threads"]:
        torch.set_num_threads(problem["threads"])
    place = torch.device("cuda" if problem["device"] == "gpu" else "cpu")
    lanes = 1 if problem["peer"] == "one" else problem["lanes"]
    step = steps_of(problem, lanes, place)
    for _ in range(problem["checked"]):
        losses = step()
    print(json.dumps({"loss": float(losses.mean()), "library": f"torch {torch.__version__}"}), flush=True)
    for line in sys.stdin:
        wanted, steps, started = float(line), 0, time.perf_counter()
        while (wall := time.perf_counter() - started) < wanted or not steps:
            for _ in range(STEPS if lanes == 1 else 1):
                step()
            if place.type == "cuda":
                torch.cuda.synchronize()
            steps += STEPS if lanes == 1 else lanes
        print(json.dumps({"steps": steps, "wall": wall}), flush=True)


if __name__ == "__main__":
    main()
