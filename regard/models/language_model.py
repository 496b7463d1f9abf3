"""p(y) = Π_t p(y_t | y_1 … y_{t−1}): embedding, trunk, output layer."""

from __future__ import annotations

from torch import Tensor, nn

from regard.models.seq2seq import Forced
from regard.nn import masks
from regard.nn.dropout import Noise, dropout
from regard.nn.embedding import Embedding, OutputLayer
from regard.nn.fast.loss import cross_entropy as fast_cross_entropy
from regard.nn.loss import Loss, cross_entropy, logprobs
from regard.nn.memory import Output, State
from regard.nn.trunks.base import Trunk


class LanguageModel(nn.Module):
    def __init__(
        self, embedding: Embedding, trunk: Trunk, output: OutputLayer, *, dropout: float, fast: bool = True
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.trunk = trunk
        self.output = output
        self.dropout = dropout
        self.cross_entropy = fast_cross_entropy if fast else cross_entropy

    def start(self, num_rows: int) -> State:
        """Nothing is read yet."""
        return self.trunk.start(num_rows)

    def step(self, token_R: Tensor, state: State, *, look: bool = False) -> tuple[Tensor, Tensor | None, State]:
        """logits_RV, the weights if asked for, and the next state."""
        output, state = self.trunk.step(self.embedding(token_R), state, look=look)
        return self.output(output.features_BTE[:, 0]), output.weights_BLHTS, state

    def loss(self, text_BT: Tensor, length_B: Tensor, *, smoothing: float = 0.0, noise: Noise | None = None) -> Loss:
        """Of texts that begin with what is given; `length_B` counts what is predicted."""
        features_BTE, wanted_BT = self._read(text_BT[:, :-1], noise).features_BTE, text_BT[:, 1:]
        mask_BT = masks.real(length_B, wanted_BT.shape[1])
        return self.cross_entropy(features_BTE[mask_BT], self.output, wanted_BT[mask_BT], smoothing)

    def force(self, text_BT: Tensor, length_B: Tensor, *, look: bool = False) -> Forced:
        """log p of each token after the first, and where the model looked back."""
        output, wanted_BT = self._read(text_BT[:, :-1], None, look=look), text_BT[:, 1:]
        mask_BT = masks.real(length_B, wanted_BT.shape[1])
        logprobs_BT = output.features_BTE.new_zeros(mask_BT.shape)
        logprobs_BT[mask_BT] = logprobs(output.features_BTE[mask_BT], self.output, wanted_BT[mask_BT])
        return Forced(logprobs_BT, output.weights_BLHTS)

    def _read(self, text_BT: Tensor, noise: Noise | None, *, look: bool = False) -> Output:
        x_BTE = dropout(self.embedding(text_BT), self.dropout, noise, "embedding")
        output: Output = self.trunk(x_BTE, noise, look=look)
        return output
