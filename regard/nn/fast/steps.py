"""The fast twin of a recurrent decoder's start and step, for search: the same numbers, sooner.

What does not depend on the state is computed before the first step:

    of each token       W_y y + b: a table to look up
    of each sentence    W_c h_s of all its positions, since Σ_s α_s (W_c h_s) = W_c Σ_s α_s h_s; or W_c summary

W_y and W_c are the columns that read y and the context, of the bottom cell's weights and of the readout's, side by
side: X = [gates; features]. A twin holds weights as they were when it was made: make one for each search. It knows no
gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn.cells import Cells, Layer, from_rows
from regard.nn.embedding import Embedding
from regard.nn.fast.looking import Looking
from regard.nn.memory import Memory, Output, State
from regard.nn.wirings.after import After, AfterFed
from regard.nn.wirings.base import Stepped
from regard.nn.wirings.before import Before
from regard.nn.wirings.unattended import Always, Once

if TYPE_CHECKING:
    from regard.nn.decoders.rnn import RnnDecoder

ENOUGH = 3  # rows a sentence, from which on it pays to have W_c h_s of all positions


def twin(decoder: RnnDecoder, embedding: Embedding, *, width: int, num_rows: int) -> Steps | None:
    """For a search with `width` rows a sentence and about `num_rows` in all steps together; None if there is none."""
    steps: Steps
    match decoder.wiring:
        case Before():
            steps = BeforeSteps(decoder, decoder.wiring, embedding, width)
        case After():
            steps = AfterSteps(decoder, decoder.wiring, embedding)
        case Once():
            steps = OnceSteps(decoder, decoder.wiring, embedding)
        case Always():
            steps = AlwaysSteps(decoder, decoder.wiring, embedding)
        case _:
            return None
    if num_rows > len(embedding.weight_VE):
        steps.tabulate()
    return steps


class Steps:
    def __init__(self, decoder: RnnDecoder, embedding: Embedding) -> None:
        self.decoder = decoder
        self.embedding = embedding
        bottom = decoder.stack.layers[0]
        assert isinstance(bottom, Layer)
        self.bottom = bottom
        size = embedding.weight_VE.shape[1]
        self.weight_XE, self.weight_XM = _columns(bottom.rnn.weight_ih_l0, size)
        self.bias_X = bottom.rnn.bias_ih_l0
        self.num_gates = len(self.bias_X)
        self.table_VX: Tensor | None = None

    def tabulate(self) -> None:
        """It costs as much as a step without a table for as many rows as there are tokens."""
        self.table_VX = self._inputs(torch.arange(len(self.embedding.weight_VE), device=self.bias_X.device))

    def start(self, memory: Memory) -> State:
        return State(memory, None, self.decoder.first_rows(memory))

    def step(self, token_R: Tensor, state: State, *, look: bool = False) -> tuple[Output, State]:
        cells = from_rows(state.rows, self.decoder.num_layers, self.decoder.stack.num_parts)
        done = self._step(self._inputs(token_R), cells, state)
        return self.decoder.stepped(done, state, look)

    def _step(self, x_RX: Tensor, cells: Cells, state: State) -> Stepped:
        """`x_RX` is W_y y + b, and the step's own to write on."""
        raise NotImplementedError

    def _inputs(self, token_R: Tensor) -> Tensor:
        if self.table_VX is not None:
            return self.table_VX.index_select(0, token_R)
        return functional.linear(self.embedding(token_R), self.weight_XE, self.bias_X)

    def _cells(self, gates_RG: Tensor, cells: Cells) -> Cells:
        new = [_cell(self.bottom, gates_RG, cells[0])]
        for layer, cell in zip(list(self.decoder.stack.layers)[1:], cells[1:], strict=True):
            assert isinstance(layer, Layer)
            new.append(layer.step(new[-1][0], cell))
        return tuple(new)


class OnceSteps(Steps):
    def __init__(self, decoder: RnnDecoder, wiring: Once, embedding: Embedding) -> None:
        super().__init__(decoder, embedding)
        self.readout = wiring.readout

    def _step(self, x_RX: Tensor, cells: Cells, state: State) -> Stepped:
        cells = self._cells(x_RX, cells)
        return Stepped(torch.tanh(self.readout(cells[-1][0])), None, cells)


class _Reading(Steps):
    """The features read y and the context as the gates do: tanh(W_s s + W_c context + W_y y + b)."""

    def __init__(self, decoder: RnnDecoder, readout: nn.Linear, embedding: Embedding) -> None:
        super().__init__(decoder, embedding)
        context_size = self.weight_XM.shape[1]
        self.weight_ED, features_EM, features_EE = _columns(readout.weight, decoder.stack.size, context_size)
        self.weight_XE = torch.cat([self.weight_XE, features_EE])
        self.weight_XM = torch.cat([self.weight_XM, features_EM])
        self.bias_X = torch.cat([self.bias_X, readout.bias])

    def _read(self, x_RX: Tensor, cells: Cells) -> tuple[Tensor, Cells]:
        cells = self._cells(x_RX[:, : self.num_gates], cells)
        return tanh_(x_RX[:, self.num_gates :].addmm_(cells[-1][0], self.weight_ED.T)), cells


class AlwaysSteps(_Reading):
    def __init__(self, decoder: RnnDecoder, wiring: Always, embedding: Embedding) -> None:
        super().__init__(decoder, wiring.readout, embedding)

    def start(self, memory: Memory) -> State:
        through = memory._replace(summary_BM=functional.linear(memory.summary_BM, self.weight_XM))
        return State(through, None, self.decoder.first_rows(memory))

    def _step(self, x_RX: Tensor, cells: Cells, state: State) -> Stepped:
        x_RX += state.memory.summary_BM.index_select(0, state.sentence_R)
        features_RE, cells = self._read(x_RX, cells)
        return Stepped(features_RE, None, cells)


class BeforeSteps(_Reading):
    def __init__(self, decoder: RnnDecoder, wiring: Before, embedding: Embedding, width: int) -> None:
        super().__init__(decoder, wiring.readout, embedding)
        self.looking = Looking(wiring.attention)
        self.through = width >= ENOUGH

    def start(self, memory: Memory) -> State:
        through = memory
        if self.through:
            through = memory._replace(states_BSM=functional.linear(memory.states_BSM, self.weight_XM))
        return State(through, self.looking.prepare(memory), self.decoder.first_rows(memory))

    def _step(self, x_RX: Tensor, cells: Cells, state: State) -> Stepped:
        if self.through:
            weights_RS = self.looking.add_context(x_RX, cells[-1][0], state)
        else:
            context_RM = x_RX.new_zeros(len(x_RX), self.weight_XM.shape[1])
            weights_RS = self.looking.add_context(context_RM, cells[-1][0], state)
            x_RX.addmm_(context_RM, self.weight_XM.T)
        features_RE, cells = self._read(x_RX, cells)
        return Stepped(features_RE, weights_RS, cells)


class AfterSteps(Steps):
    """X = gates, which read what is fed in the place of a context; only the features read the memory."""

    def __init__(self, decoder: RnnDecoder, wiring: After, embedding: Embedding) -> None:
        super().__init__(decoder, embedding)
        self.looking = Looking(wiring.attention)
        self.feeds = isinstance(wiring, AfterFed)
        self.weight_EM, self.weight_ED = _columns(
            wiring.readout.weight, wiring.readout.in_features - decoder.stack.size
        )

    def start(self, memory: Memory) -> State:
        through = memory._replace(states_BSM=functional.linear(memory.states_BSM, self.weight_EM))
        return State(through, self.looking.prepare(memory), self.decoder.first_rows(memory))

    def _step(self, x_RX: Tensor, cells: Cells, state: State) -> Stepped:
        if self.feeds:
            x_RX.addmm_(state.rows["fed"], self.weight_XM.T)
        cells = self._cells(x_RX, cells)
        features_RE = cells[-1][0] @ self.weight_ED.T
        weights_RS = self.looking.add_context(features_RE, cells[-1][0], state)
        tanh_(features_RE)
        return Stepped(features_RE, weights_RS, cells, features_RE if self.feeds else None)


def _cell(layer: Layer, x_RG: Tensor, cell: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The next cell, from W x + b (nn/cells.py has the equations)."""
    h_RD, rnn = cell[0], layer.rnn
    gates_RG = torch.addmm(rnn.bias_hh_l0, h_RD, rnn.weight_hh_l0.T)
    if layer.kind == "gru":
        rz, last = 2 * layer.size, slice(2 * layer.size, None)
        r_RD, z_RD = gates_RG[:, :rz].add_(x_RG[:, :rz]).sigmoid_().chunk(2, dim=1)
        n_RD = tanh_(torch.addcmul(x_RG[:, last], r_RD, gates_RG[:, last]))
        return (torch.lerp(n_RD, h_RD, z_RD),)
    gates_RG.add_(x_RG)
    if layer.kind == "lstm":
        i_RD, f_RD, g_RD, o_RD = gates_RG.chunk(4, dim=1)
        c_RD = f_RD.sigmoid() * cell[1] + i_RD.sigmoid() * g_RD.tanh()
        return o_RD.sigmoid() * c_RD.tanh(), c_RD
    return (gates_RG.tanh_(),)


def tanh_(x: Tensor) -> Tensor:
    """tanh(x) = 2σ(2x) − 1, in place: on a CPU less than half of the time."""
    return x.mul_(2).sigmoid_().mul_(2).sub_(1)


def _columns(weight: Tensor, *sizes: int) -> tuple[Tensor, ...]:
    """A matrix cut into those that read its inputs' parts; the last takes what is left."""
    columns: tuple[Tensor, ...] = weight.split([*sizes, weight.shape[1] - sum(sizes)], dim=1)
    return columns
