"""Everything that can be learnt is learnt."""

from __future__ import annotations

import pytest
import torch
from variants import ALL, batch, examples, name, network

from regard.models import Seq2SeqSettings


@pytest.mark.parametrize("settings", ALL, ids=name)
def test_every_parameter_gets_a_finite_gradient_that_is_not_zero(settings: Seq2SeqSettings) -> None:
    model = network(settings)
    names, parameters = zip(*model.named_parameters(), strict=True)
    # torch refuses what the loss does not depend on
    gradients = torch.autograd.grad(model.loss(*batch(examples())).total, parameters)
    for parameter, gradient in zip(names, gradients, strict=True):
        assert gradient.isfinite().all(), parameter
        assert gradient.any(), parameter
