"""PyTorch's part of ``benchmarks.juntas_speed``: Transformers on juntas. It needs nothing but PyTorch and NumPy."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import cross_entropy, dropout, gelu, layer_norm

from benchmarks.race_peer import Problem
from benchmarks.race_torch import Training, adamw, first_weights, serve


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


def make(problem: Problem, models: int, place: torch.device) -> Training:
    """One step of AdamW with clipping, on the same full batches every time."""
    x = torch.tensor(problem["x"], dtype=torch.float32, device=place).repeat(models, 1, 1)
    y = x[..., :3].prod(-1).long()
    p = first_weights(problem, models, place)
    optimiser = adamw(problem, p.values(), weight_decay=problem["decay"])
    rates = dict.fromkeys(problem["rates"], 0.0) if problem["checking"] else problem["rates"]

    def step() -> torch.Tensor:
        outputs = logits(p, x, problem["heads"], rates)
        losses = cross_entropy(outputs.flatten(0, 1), y.flatten(), reduction="none").view(models, -1).mean(1)
        optimiser.zero_grad()
        losses.sum().backward()
        grads = [leaf.grad for leaf in p.values() if leaf.grad is not None]
        norms = torch.stack([g.flatten(1).square().sum(1) for g in grads]).sum(0).sqrt()
        factors = (1 / norms.clamp(min=1e-6)).clamp(max=1)
        for g in grads:
            g.mul_(factors.view(-1, *[1] * (g.dim() - 1)))
        optimiser.step()
        return losses.detach()[0]

    return Training(step)


if __name__ == "__main__":
    serve(make)
