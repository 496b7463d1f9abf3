"""Which parts a recurrence with attention is made of, and their weights as a flat list, which autograd wants."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from regard.nn.attention import Attention
from regard.nn.cells import Layer, Stack
from regard.nn.fast.attending import Additive, Attending, Dot
from regard.nn.fast.gates import GATES, Gates
from regard.nn.fast.windows import SlidingM, SlidingP
from regard.nn.memory import Memory
from regard.nn.scores.additive import AdditiveScore
from regard.nn.scores.bilinear import BilinearScore
from regard.nn.scores.dot import DotScore
from regard.nn.windows.everywhere import Everywhere
from regard.nn.windows.local_m import LocalM
from regard.nn.windows.local_p import LocalP


def known(attention: Attention, stack: Stack) -> bool:
    """Whether there are twins of these parts."""
    return (
        len(stack.layers) == 1
        and layer_of(stack).kind in GATES
        and isinstance(attention.score, AdditiveScore | BilinearScore | DotScore)
        and isinstance(attention.window, Everywhere | LocalM | LocalP)
    )


@dataclass(frozen=True)
class Split:
    """The weights of a score and of a window, as they come back from a flat list."""

    cell: tuple[Tensor, ...]  # the first one
    query: tuple[Tensor, ...]  # W₂ and b of an additive score
    v: tuple[Tensor, ...]  # its v
    window: tuple[Tensor, ...]  # W and v of local-p


@dataclass(frozen=True)
class Parts:
    attention: Attention
    stack: Stack
    memory: Memory
    look: bool  # whether the weights are asked for

    def weights(self, cell: tuple[Tensor, ...]) -> list[Tensor]:
        score, window, found = self.attention.score, self.attention.window, list(cell)
        if isinstance(score, AdditiveScore):
            found += [score.query_map.weight, score.query_map.bias, score.v.weight[0]]
        if isinstance(window, LocalP):
            found += [window.hidden.weight, window.v.weight[0]]
        return found

    def split(self, weights: list[Tensor]) -> Split:
        num_cell = self.stack.num_parts
        num_score = num_cell + (3 if isinstance(self.attention.score, AdditiveScore) else 0)
        score = weights[num_cell:num_score]
        return Split(tuple(weights[:num_cell]), tuple(score[:2]), tuple(score[2:]), tuple(weights[num_score:]))

    def gates(self, num_steps: int, cell: tuple[Tensor, ...]) -> Gates:
        return GATES[layer_of(self.stack).kind](num_steps, cell)

    def attending(
        self, keys: Tensor, states_BSM: Tensor, split: Split, num_steps: int, *, recording: bool
    ) -> Attending:
        sliding = self._sliding(split)
        num_seen = keys.shape[1] if sliding is None else len(sliding.offset_W)
        num_hidden = num_steps * len(keys) * num_seen * keys.shape[2]
        scoring = Additive(keys, split.v[0], num_hidden if recording else 0) if split.v else Dot(keys)
        return Attending(scoring, sliding, states_BSM, self.memory.mask_BS, num_steps)

    def _sliding(self, split: Split) -> SlidingM | SlidingP | None:
        window, mask_BS, length_B = self.attention.window, self.memory.mask_BS, self.memory.length_B
        match window:
            case LocalM():
                return SlidingM(length_B, mask_BS.shape[1], window.reach)
            case LocalP():
                return SlidingP(length_B, mask_BS.shape[1], window.reach, w_HD=split.window[0], v_H=split.window[1])
            case _:
                return None


def layer_of(stack: Stack) -> Layer:
    layer = stack.layers[0]
    assert isinstance(layer, Layer)
    return layer
