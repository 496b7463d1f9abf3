"""A network's weights by name, as they are stored."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def weights(network: nn.Module) -> dict[str, Tensor]:
    """Weights by name; a matrix that two parts share is stored once, under the first of its names."""
    return {name: parameter.detach().contiguous() for name, parameter in network.named_parameters()}


def count(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def load_weights(network: nn.Module, tensors: dict[str, Tensor]) -> None:
    parameters = dict(network.named_parameters())
    if parameters.keys() != tensors.keys():
        raise ValueError(f"weights do not fit the settings: {sorted(parameters.keys() ^ tensors.keys())[:3]}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            if parameter.shape != tensors[name].shape:
                raise ValueError(f"weights do not fit the settings: {name} is {list(tensors[name].shape)}")
            parameter.copy_(tensors[name])
