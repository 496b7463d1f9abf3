"""AdamW, with its state as plain tensors: no pickle."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from regard.nn.around.ngrams import Ngrams
from regard.nn.embedding import Embedding, OutputLayer
from regard.tasks.workers import shares, side_by_side
from regard.training import OptimiserSettings

_MOMENTS = ("exp_avg", "exp_avg_sq", "step")


class Optimiser:
    """AdamW (Loshchilov and Hutter 2019), a share of the parameters on each of `workers` cores.

    No number depends on how many these are.
    """

    def __init__(self, network: nn.Module, settings: OptimiserSettings, workers: int = 1) -> None:
        self.network = network
        self.workers = workers
        parameters = list(network.parameters())
        self.shares = [
            torch.optim.AdamW(
                _groups(network, settings, {id(parameters[number]) for number in share}),
                lr=settings.learning_rate,
                betas=(settings.beta1, settings.beta2),
                eps=1e-9,
                fused=True,
            )
            for share in shares([parameter.numel() for parameter in parameters], workers)
        ]
        self._adam = {one: adam for adam in self.shares for group in adam.param_groups for one in group["params"]}

    def step(self, learning_rate: float, clip: float) -> float:
        """Go down the gradients, made as short as `clip` together if they are longer (0: never); the norm they had.

        Gradients that are not finite are not followed.
        """

        def measure(adam: torch.optim.AdamW) -> dict[int, Tensor]:
            return {
                id(parameter): torch.linalg.vector_norm(parameter.grad)
                for group in adam.param_groups
                for parameter in group["params"]
                if parameter.grad is not None
            }

        def follow(adam: torch.optim.AdamW) -> None:
            for group in adam.param_groups:
                group["lr"] = learning_rate
                for parameter in group["params"]:
                    if scale < 1 and parameter.grad is not None:
                        parameter.grad *= scale
            adam.step()

        measured: dict[int, Tensor] = {}
        for some in side_by_side(measure, self.shares, self.workers):
            measured.update(some)
        in_order = [measured[id(parameter)] for parameter in self.network.parameters() if id(parameter) in measured]
        norm = float(torch.linalg.vector_norm(torch.stack(in_order)))
        if math.isfinite(norm):
            scale = clip / norm if clip and norm > clip else 1.0
            side_by_side(follow, self.shares, self.workers)
        return norm

    def state(self, parameter: nn.Parameter) -> dict[str, Tensor]:
        """Its moments; nothing before the first step."""
        found: dict[str, Tensor] = self._adam[parameter].state.get(parameter, {})
        return found

    def tensors(self) -> dict[str, Tensor]:
        """The moments by the parameters' names."""
        return {
            f"{name}/{moment}": tensor
            for name, parameter in self.network.named_parameters()
            for moment, tensor in self.state(parameter).items()
        }

    def load(self, tensors: dict[str, Tensor]) -> None:
        wanted = {f"{name}/{moment}" for name, _ in self.network.named_parameters() for moment in _MOMENTS}
        if tensors.keys() != wanted:
            raise ValueError(f"the moments of {sorted(wanted ^ tensors.keys())[0]} do not fit")
        for name, parameter in self.network.named_parameters():
            moments = {moment: tensors[f"{name}/{moment}"].to(parameter.device) for moment in _MOMENTS}
            self._adam[parameter].state[parameter] = moments


def _groups(network: nn.Module, settings: OptimiserSettings, share: set[int]) -> list[dict[str, object]]:
    """What decays, and what does not: vectors of tokens and n-grams, and biases."""
    vectors = {
        id(parameter)
        for module in network.modules()
        if isinstance(module, Embedding | OutputLayer | Ngrams)
        for parameter in module.parameters(recurse=False)
    }
    decayed: list[nn.Parameter] = []
    free: list[nn.Parameter] = []
    for parameter in network.parameters():
        if id(parameter) in share:
            (decayed if parameter.ndim > 1 and id(parameter) not in vectors else free).append(parameter)
    return [{"params": decayed, "weight_decay": settings.weight_decay}, {"params": free, "weight_decay": 0.0}]
