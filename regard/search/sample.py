"""Sampling: each token is drawn from what the model says, sharpened or cut if asked."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from regard.search import SampleSettings
from regard.search.hypothesis import Hypothesis
from regard.search.rules import Rules
from regard.search.state import S, Sentences, StepFunction
from regard.search.walk import walk


def sample(
    settings: SampleSettings, batch: Sentences[S], step: StepFunction[S], rules: Rules, num_samples: int
) -> list[list[Hypothesis]]:
    """`num_samples` independent draws for each sentence, in the order in which they are drawn.

    What is drawn for a sentence follows from the seed and the sentence's number, and not from its neighbours.
    """
    numbers = range(len(rules.max_length_B)) if batch.numbers is None else batch.numbers
    assert len(numbers) == len(rules.max_length_B), "one number a sentence"
    length = int(rules.max_length_B.max())
    draws = [uniform(settings.seed, number, index, length) for number in numbers for index in range(num_samples)]
    uniform_RT = torch.from_numpy(np.array(draws))

    def pick(logits_RV: Tensor, number_R: Tensor, t: int) -> Tensor:
        # where there are doubles: not every device has them
        probs_RV = torch.softmax(logits_RV.cpu().double() / settings.temperature, dim=-1)
        drawn_R = draw(cut(probs_RV, settings.top_k, settings.top_p), uniform_RT[number_R.cpu(), t])
        return drawn_R.to(logits_RV.device)

    return walk(batch.state, step, rules, num_samples, pick)


def uniform(seed: int, number: int, index: int, length: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Numbers in [0, 1) for each step of one sample of one sentence. A longer call begins with the shorter one's."""
    return np.random.Generator(np.random.SFC64([seed, number, index])).random(length)


def cut(probs_RV: Tensor, top_k: int, top_p: float) -> Tensor:
    """Only the `top_k` most probable tokens (0: all), then of these the fewest whose share reaches `top_p`.

    The second is the nucleus of Holtzman et al. 2020, eq. 2. The result need not sum to one.
    """
    num_kept = min(top_k or probs_RV.shape[1], probs_RV.shape[1])
    if num_kept == probs_RV.shape[1] and top_p == 1.0:
        return probs_RV
    best_RK, token_RK = probs_RV.topk(num_kept)
    best_RK = best_RK / best_RK.sum(dim=-1, keepdim=True)
    before_RK = best_RK.cumsum(dim=-1) - best_RK
    return torch.zeros_like(probs_RV).scatter(-1, token_RK, best_RK.masked_fill(before_RK >= top_p, 0.0))


def draw(probs_RV: Tensor, uniform_R: Tensor) -> Tensor:
    """The inverse of the cumulative distribution: the first token at which it exceeds the uniform number."""
    # in the order of the vocabulary, so that a rounding error in one probability does not change places with another
    cumulative_RV = probs_RV.cumsum(dim=-1)
    total_R = cumulative_RV[:, -1]
    below_R = torch.nextafter(total_R, torch.zeros_like(total_R))  # uniform · total may round up to the total
    return torch.searchsorted(cumulative_RV, torch.minimum(uniform_R * total_R, below_R)[:, None], right=True)[:, 0]
