"""The n-grams that a token is in the middle of, hashed into the rows of a table.

g_n = x_{s−⌊(n−1)/2⌋} … x_{s+⌊n/2⌋}        t_n = table[hash(g_n)]        E[x_s] + W [t_3; t_4; …]

Hashed as those of Bojanowski et al. (2017, section 3.2), added as by Pagnoni et al. (2024, section 3.2.1), whose grams
end with the token. What a table remembers (that *stood* has the vowel of *good*) no layer has to compute from letters.
Rows begin with zeros: an n-gram that training never saw says nothing, unless it falls on the row of another.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.nn import masks
from regard.nn.dropout import Noise, dropout

_PRIME = 1_000_003


class Ngrams(nn.Module):
    def __init__(self, embedding_size: int, orders: tuple[int, ...], rows: int, size: int, dropout: float) -> None:
        super().__init__()
        self.orders = orders
        self.dropout = dropout
        self.table_RN = nn.Parameter(torch.zeros(rows, size))
        self.map = nn.Linear(len(orders) * size, embedding_size, bias=False)

    def forward(self, token_BS: Tensor, length_B: Tensor, noise: Noise | None = None) -> Tensor:
        """What is to be added to the tokens' own vectors."""
        row_BSO = self.hashed(token_BS, length_B) % len(self.table_RN)
        # scaled on the way in, as the vectors of tokens are: a step of Adam has the same length for any row
        rows_BSON = functional.embedding(row_BSO, self.table_RN) * self.table_RN.shape[1] ** 0.5
        # as a whole: units of a row that is there alone would still tell which n-gram it is
        kept_BSO = dropout(rows_BSON.new_ones(row_BSO.shape), self.dropout, noise, "source.ngrams")
        added_BSE: Tensor = self.map((rows_BSON * kept_BSO[..., None]).flatten(2))
        return added_BSE

    def hashed(self, token_BS: Tensor, length_B: Tensor) -> Tensor:
        """A number for the n-gram of each order in whose middle each token stands; what is outside of a text is 0."""
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
