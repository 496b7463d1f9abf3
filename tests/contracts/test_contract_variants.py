"""No kind escapes the contracts, and what cannot be is refused before any training."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
import torch
from variants import ALL, EMBEDDING, ENCODER, FEW, NUM_TOKENS, READ, SCORES, WINDOWS, forms, name

from regard import models, tasks
from regard.config import Table, walk
from regard.errors import UserError
from regard.models import EmbeddingSettings, Seq2SeqSettings
from regard.nn import decoders
from regard.nn.decoders import DecoderSettings, TransformerDecoderSettings
from regard.nn.encoders import EncoderSettings, PixelEncoderSettings, TextEncoderSettings
from regard.nn.memory import Memory
from regard.nn.past import SsruSettings
from regard.nn.positions import LearnedSettings, RotarySettings
from regard.nn.scores import DotSettings, ScaledDotSettings, ScoreSettings
from regard.nn.wirings import WiringSettings
from regard.search import GreedySettings
from regard.tasks.transduce import Transducer
from regard.text import tokenisers
from regard.text.tokenisers import CharSettings


def tables(settings: Table) -> set[type[Table]]:
    """The settings that stand in `settings`, and in what stands there."""
    inner = [getattr(settings, field) for field in settings.__struct_fields__]
    return {type(settings)}.union(*(tables(table) for table in inner if isinstance(table, Table)))


@pytest.mark.parametrize("some", [ALL, FEW], ids=["all", "few"])
def test_every_kind_is_among_the_variants(some: list[Seq2SeqSettings]) -> None:
    of_pictures = set(get_args(PixelEncoderSettings))
    assert set().union(*map(tables, some)) == {table for _, table in walk(Seq2SeqSettings)} - of_pictures
    assert set().union(*map(tables, READ)) >= of_pictures


@pytest.mark.parametrize("some", [ALL, FEW], ids=["all", "few"])
def test_every_encoder_is_under_every_decoder(some: list[Seq2SeqSettings]) -> None:
    pairs = {(type(settings.encoder), type(settings.decoder)) for settings in some}
    assert pairs == set(product(get_args(TextEncoderSettings), get_args(DecoderSettings)))
    read = {(type(settings.encoder), type(settings.decoder)) for settings in READ}
    assert read == set(product(get_args(PixelEncoderSettings), get_args(DecoderSettings)))


def test_every_literal_and_boolean_is_among_the_variants() -> None:
    for type_ in (EncoderSettings, DecoderSettings, EmbeddingSettings):
        for table in forms(type_, {"wiring": [None], "size": [1]}):
            found = [
                getattr(settings, part) for settings in [*ALL, *READ] for part in ("embedding", "encoder", "decoder")
            ]
            fields = [field for field in table.__struct_fields__ if isinstance(getattr(table, field), str | bool)]
            wanted = {(field, getattr(table, field)) for field in fields}
            assert any(
                isinstance(one, type(table)) and wanted <= {(field, getattr(one, field)) for field in fields}
                for one in found
            ), table


def test_variants_differ_and_so_do_their_names() -> None:
    assert len({name(settings) for settings in ALL}) == len(ALL)


def build(decoder: DecoderSettings, embedding: EmbeddingSettings, *, joint: bool = True) -> None:
    settings = Seq2SeqSettings(embedding=embedding, encoder=ENCODER, decoder=decoder)
    models.build_seq2seq(settings, num_source=NUM_TOKENS, num_target=NUM_TOKENS, joint=joint)


@pytest.mark.parametrize("score", SCORES, ids=name)
def test_a_dot_product_of_unequal_sizes_is_refused(score: ScoreSettings) -> None:
    for wiring in forms(WiringSettings, {"score": [score], "window": WINDOWS[:1]}):
        decoder = forms(DecoderSettings, {"size": [5], "cell": ["gru"], "wiring": [wiring]})[0]
        if hasattr(wiring, "score") and isinstance(score, DotSettings | ScaledDotSettings):
            with pytest.raises(UserError, match=r"size \(5\) must equal the memory's \(8.*set model\.decoder\.size=8"):
                build(decoder, EmbeddingSettings())
        else:
            build(decoder, EmbeddingSettings())


def test_one_matrix_for_two_vocabularies_is_refused() -> None:
    with pytest.raises(UserError, match=r"model\.embedding\.share = 'all'.*text\.joint=true"):
        build(forms(DecoderSettings)[0], EmbeddingSettings(share="all"), joint=False)


@pytest.mark.parametrize("embedding", forms(EmbeddingSettings), ids=name)
def test_what_is_shared_is_one_matrix(embedding: EmbeddingSettings) -> None:
    settings = Seq2SeqSettings(embedding=embedding, encoder=ENCODER)
    network = models.build_seq2seq(settings, num_source=NUM_TOKENS, num_target=NUM_TOKENS, joint=True)
    source, target, output = network.source.weight_VE, network.target.weight_VE, network.output.weight_VE
    assert (target is output) == (embedding.share in ("output", "all"))
    assert (source is target) == (embedding.share == "all")


def test_rotary_positions_need_queries_and_keys() -> None:
    decoder = TransformerDecoderSettings(positions=RotarySettings(), past=SsruSettings())
    with pytest.raises(UserError, match="only queries and keys are turned"):
        build(decoder, EMBEDDING)


def test_learned_positions_end() -> None:
    """Search goes no further."""
    decoder = TransformerDecoderSettings(size=8, num_heads=2, positions=LearnedSettings(most=7))
    settings = Seq2SeqSettings(embedding=EMBEDDING, encoder=ENCODER, decoder=decoder)
    pieces = tokenisers.train(CharSettings(), ["ab"])
    task = tasks.build(settings, {"source": pieces, "target": pieces}, length_ratio=9.0)
    assert isinstance(task, Transducer) and task.max_length(30) == 7
    for best in task.search(task.sources(["abab" * 5]), GreedySettings()):
        assert len(best[0].tokens) <= 7


def test_turned_keys_tell_where_in_the_memory_they_stand() -> None:
    """States that are all the same: by themselves they get the same weight each, and turned they do not."""
    memory = Memory(torch.ones(1, 5, 8), torch.ones(1, 5, dtype=torch.bool), torch.tensor([5]), torch.ones(1, 8))
    target_BTE = torch.randn(1, 3, 8, generator=torch.Generator().manual_seed(1))
    for turned in (False, True):
        torch.manual_seed(2)
        settings = TransformerDecoderSettings(size=8, num_heads=2, rotate_memory=turned)
        weights_BLHTS = decoders.build(settings, 8, 8, 8)(target_BTE, memory, look=True).weights_BLHTS
        assert weights_BLHTS is not None and bool((weights_BLHTS - 1 / 5).abs().max() > 0.01) == turned
