"""The n-grams that a token is in the middle of, each with a vector of its own if it is frequent.

g_n = x_{s−⌊(n−1)/2⌋} … x_{s+⌊n/2⌋}        t_n = table[g_n], or 0        E[x_s] + W [t_3; t_4; …]

Added as by Pagnoni et al. (2024, section 3.2.1), whose grams end with the token and share the rows of a hash table;
those of Bojanowski et al. (2017, section 3.2) do, too. Here rare ones have no row: they would tell which source it is.
A source with similar pairs beside it goes without (text/tokenisers/recalling.py).
What a table remembers (that *stood* has the vowel of *good*) no layer has to compute from letters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from regard.errors import UserError
from regard.nn import masks
from regard.nn.dropout import Noise, dropout
from regard.nn.products import Linear

_PRIME = 1_000_003
_NONE = torch.iinfo(torch.int64).max
_AT_ONCE = 4096


class Ngrams(nn.Module):
    number_G: Tensor

    def __init__(
        self, embedding_size: int, orders: tuple[int, ...], least: int, most: int, size: int, dropout: float
    ) -> None:
        super().__init__()
        self.orders = orders
        self.least = least
        self.dropout = dropout
        # in ascending order: whose vector stands in this row of the table; none before they are counted
        self.register_buffer("number_G", torch.full((most,), _NONE))
        self.table_GN = nn.Parameter(torch.zeros(most, size))
        self.map = Linear(len(orders) * size, embedding_size, bias=False)

    def forward(self, token_BS: Tensor, length_B: Tensor, noise: Noise | None = None) -> Tensor:
        """What is to be added to the tokens' own vectors."""
        number_BSO = self.numbers(token_BS, length_B)
        row_BSO = torch.searchsorted(self.number_G, number_BSO).clamp(max=len(self.number_G) - 1)
        known_BSO = self.number_G[row_BSO] == number_BSO
        # scaled on the way in, as the vectors of tokens are: a step of Adam has the same length for any row
        rows_BSON = functional.embedding(row_BSO, self.table_GN) * self.table_GN.shape[1] ** 0.5
        # an order is dropped for the whole source, which then is as one whose long n-grams training has not seen
        kept_BO = dropout(rows_BSON.new_ones(row_BSO.shape[0], len(self.orders)), self.dropout, noise, "source.ngrams")
        kept_BSO = known_BSO * kept_BO[:, None]
        added_BSE: Tensor = self.map((rows_BSON * kept_BSO[..., None]).flatten(2))
        return added_BSE

    def numbers(self, token_BS: Tensor, length_B: Tensor) -> Tensor:
        """A number for the n-gram of each order in whose middle each token stands; what is outside of a text is 0.

        Of 64 bits, so that two of a corpus's n-grams hardly ever have the same.
        """
        size = token_BS.shape[1]
        inside_BS = torch.where(masks.real(length_B, size), token_BS + 1, 0)
        numbers = []
        for order in self.orders:
            padded_BS = functional.pad(inside_BS, ((order - 1) // 2, order // 2))
            number_BS = torch.full_like(token_BS, order)
            for offset in range(order):
                number_BS = number_BS * _PRIME + padded_BS[:, offset : offset + size]
                number_BS = number_BS ^ (number_BS >> 29)
            numbers.append(number_BS)
        return torch.stack(numbers, -1)

    @torch.no_grad()
    def learn(self, sources: Sequence[NDArray[np.int64]]) -> int:
        """Count the n-grams of all sources, each source once, and give rows to the frequent ones: to how many."""
        different = sorted({source.tobytes(): source for source in sources}.values(), key=len)
        found, counts = np.empty(0, np.int64), np.empty(0, np.int64)
        for start in range(0, len(different), _AT_ONCE):
            some = different[start : start + _AT_ONCE]
            length_B = torch.tensor([len(source) for source in some])
            token_BS = nn.utils.rnn.pad_sequence([torch.from_numpy(source).long() for source in some], batch_first=True)
            number_BSO = self.numbers(token_BS, length_B)
            more = number_BSO[masks.real(length_B, token_BS.shape[1])].flatten().numpy()
            both = np.concatenate([found, more])
            weights = np.concatenate([counts, np.ones_like(more)])
            found, place = np.unique(both, return_inverse=True)
            counts = np.bincount(place, weights).astype(np.int64)
        frequent = counts >= self.least
        if not frequent.any():
            raise UserError(
                f"model.embedding.around.least = {self.least}: no n-gram of the sources occurs so often; lower it, "
                "or set model.embedding.around.kind=none"
            )
        # of two that are as frequent the lower number stays: the same corpus has the same rows
        by_count = np.argsort(-counts[frequent], kind="stable")
        chosen = np.sort(found[frequent][by_count[: len(self.number_G)]])
        self.number_G = torch.from_numpy(chosen).to(self.number_G.device)
        self.table_GN = nn.Parameter(self.table_GN[: len(chosen)].clone())
        return len(chosen)
