"""The best of many, against sorting all."""

from __future__ import annotations

import pytest
import torch

from regard.search.best import best, logsumexp


@pytest.mark.parametrize("by_token", [False, True], ids=["by row", "by token"])
@pytest.mark.parametrize(("width", "count", "num_tokens"), [(5, 10, 2001), (5, 10, 1024), (1, 1, 700), (2, 9, 40)])
def test_the_best_are_those_of_all(width: int, count: int, num_tokens: int, by_token: bool) -> None:
    generator = torch.Generator().manual_seed(1)
    logits_RV = torch.randn(3 * width, num_tokens, generator=generator)
    logits_RV[:, 7:9] = -torch.inf
    logits_RV[1, num_tokens - 1] = 9.0  # in the last, incomplete round of groups
    plus_BW = torch.randn(3, width, generator=generator)
    plus_BW[2, 1:] = -torch.inf
    given_RV = logits_RV.T.contiguous().T if by_token else logits_RV
    value_BK, row_BK, token_BK = best(given_RV, torch.arange(len(given_RV)), plus_BW, count)
    all_BX = (logits_RV.view(3, width, num_tokens) + plus_BW[..., None]).flatten(1)
    expected = all_BX.topk(count)
    assert torch.equal(value_BK, expected.values)
    assert torch.equal(row_BK * num_tokens + token_BK, expected.indices)


@pytest.mark.parametrize("num_tokens", [40, 2001])
def test_the_best_of_some_rows(num_tokens: int) -> None:
    """The logits of rows that hold nothing are not needed."""
    generator = torch.Generator().manual_seed(1)
    logits_RV = torch.randn(12, num_tokens, generator=generator)
    plus_BW = torch.randn(3, 4, generator=generator)
    plus_BW[0, 2], plus_BW[1, 1:], plus_BW[2, :3] = -torch.inf, -torch.inf, -torch.inf
    place_R = (plus_BW.flatten() > -torch.inf).nonzero()[:, 0]
    value_BK, row_BK, token_BK = best(logits_RV[place_R], place_R, plus_BW, 8)
    expected = (logits_RV.view(3, 4, num_tokens) + plus_BW[..., None]).flatten(1).topk(8)
    assert torch.equal(value_BK, expected.values)
    assert torch.equal(row_BK * num_tokens + token_BK, expected.indices)


def test_fewer_than_asked_for_are_all() -> None:
    value_BK, row_BK, token_BK = best(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), torch.arange(2), torch.zeros(1, 2), 9)
    assert value_BK.tolist() == [[4.0, 3.0, 2.0, 1.0]]
    assert (row_BK.tolist(), token_BK.tolist()) == ([[1, 0, 1, 0]], [[0, 1, 1, 0]])


@pytest.mark.parametrize("shift", [0.0, 30.0, 500.0, -500.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_logsumexp_of_small_and_of_large_numbers(dtype: torch.dtype, shift: float) -> None:
    logits_RV = (torch.randn(40, 3000, generator=torch.Generator().manual_seed(1)) * 4 + shift).to(dtype)
    expected_R = torch.logsumexp(logits_RV.double(), dim=1)
    assert torch.allclose(logsumexp(logits_RV).double(), expected_R, rtol=1e-7, atol=1e-5)
