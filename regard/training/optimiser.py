"""AdamW, with its state as plain tensors: no pickle."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from regard.nn.embedding import Embedding, OutputLayer
from regard.training import OptimiserSettings

_MOMENTS = ("exp_avg", "exp_avg_sq", "step")


def build(network: nn.Module, settings: OptimiserSettings) -> torch.optim.AdamW:
    vectors = {
        id(parameter)
        for module in network.modules()
        if isinstance(module, Embedding | OutputLayer)
        for parameter in module.parameters(recurse=False)
    }
    decayed: list[nn.Parameter] = []
    free: list[nn.Parameter] = []
    for parameter in network.parameters():
        (decayed if parameter.ndim > 1 and id(parameter) not in vectors else free).append(parameter)
    groups = [
        {"params": decayed, "weight_decay": settings.weight_decay},
        {"params": free, "weight_decay": 0.0},
    ]
    betas = (settings.beta1, settings.beta2)
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=betas, eps=1e-9, fused=True)


def state_tensors(optimiser: torch.optim.AdamW, network: nn.Module) -> dict[str, Tensor]:
    """The moments by the parameters' names."""
    return {
        f"{name}/{moment}": optimiser.state[parameter][moment]
        for name, parameter in network.named_parameters()
        for moment in _MOMENTS
        if parameter in optimiser.state
    }


def load_state(optimiser: torch.optim.AdamW, network: nn.Module, tensors: dict[str, Tensor]) -> None:
    for name, parameter in network.named_parameters():
        if f"{name}/step" in tensors:
            optimiser.state[parameter] = {
                moment: tensors[f"{name}/{moment}"].to(parameter.device) for moment in _MOMENTS
            }
