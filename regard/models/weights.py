"""A network's weights by name, as they are stored, with what it counted before it learnt (its buffers)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def weights(network: nn.Module) -> dict[str, Tensor]:
    """Weights by name; a matrix that two parts share is stored once, under the first of its names."""
    return {name: tensor.detach().contiguous() for name, tensor in _stored(network).items()}


def count(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def load_weights(network: nn.Module, tensors: dict[str, Tensor]) -> None:
    stored = _stored(network)
    if stored.keys() != tensors.keys():
        raise ValueError(f"weights do not fit the settings: {sorted(stored.keys() ^ tensors.keys())[:3]}")
    with torch.no_grad():
        for name, tensor in stored.items():
            if tensor.shape != tensors[name].shape:
                raise ValueError(f"weights do not fit the settings: {name} is {list(tensors[name].shape)}")
            tensor.copy_(tensors[name])


def _stored(network: nn.Module) -> dict[str, Tensor]:
    return {**dict(network.named_parameters()), **dict(network.named_buffers())}
