"""Every network that settings can describe, in small, and what the contracts feed them.

All is derived from the unions, so that a new variant is tested from the moment that its line exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import torch
from msgspec.inspect import BoolType, LiteralType, Metadata, StructType, UnionType
from torch import Tensor

from regard import models
from regard.config import Table, merge, to_table
from regard.models import EmbeddingSettings, Seq2SeqSettings
from regard.models.seq2seq import Forced, Seq2Seq, turned
from regard.nn.decoders import DecoderSettings, RnnDecoderSettings, TransformerDecoderSettings
from regard.nn.encoders import EncoderSettings, PixelEncoderSettings, TextEncoderSettings
from regard.nn.memory import Memory
from regard.nn.past import SelfAttentionSettings
from regard.nn.positions import RotarySettings, SinusoidalSettings
from regard.nn.scores import ScoreSettings
from regard.nn.summaries import OwnSummarySettings
from regard.nn.windows import WindowSettings
from regard.nn.wirings import WiringSettings
from regard.text.batch import Example
from regard.text.tokenisers.base import BOS, EOS

NUM_TOKENS = 12
JUNK = 7  # stands in padding: what is there must not matter, so it is a token like any other
Choices = dict[str, Sequence[Any]]
T = TypeVar("T", bound=Table)
# what fields may be, by name; the others are all that they can be, or their default. The contracts look at the fast
# twins, and one of them holds that the plain parts are equal to those.
SMALL: Choices = {
    "size": [5],
    "reach": [1],
    "least": [1],
    "num_layers": [1],
    "num_heads": [2],
    "feedforward": [5],
    "most": [20],
    "dropout": [0.3],
    "attention_dropout": [0.2],
    "fast": [True],
    "both_ways": ["no"],
    "penalty": [0.5],
}


def forms(type_: Any, choices: Choices | None = None) -> list[Any]:
    """Every value of a type of settings: unions, literals and booleans in full, numbers as SMALL or `choices` say."""
    return list(_forms(msgspec.inspect.type_info(type_), SMALL | (choices or {})))


def _forms(info: Any, choices: Choices) -> Iterator[Any]:
    match info:
        case Metadata():
            yield from _forms(info.type, choices)
        case UnionType():
            for type_ in info.types:
                yield from _forms(type_, choices)
        case LiteralType():
            yield from info.values
        case BoolType():
            yield from (False, True)
        case StructType():
            names = [field.name for field in info.fields]
            values = [
                choices.get(field.name) or list(_forms(field.type, choices)) or [field.default] for field in info.fields
            ]
            for combination in product(*values):
                yield info.cls(**dict(zip(names, combination, strict=True)))


def covering(settings: Sequence[T]) -> list[T]:
    """Some of them, in which every choice is made that any of them makes. (Every n-th would miss whole kinds.)"""
    chosen, seen = [], set()
    for one in settings:
        choices = set(_leaves(to_table(one)))
        if not choices <= seen:
            chosen.append(one)
            seen |= choices
    return chosen


def _leaves(table: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{path}.{key}")
        else:
            yield f"{path}.{key}", value if isinstance(value, str | bool | int | float) else str(value)


def rates(settings: T) -> Iterator[tuple[str, T]]:
    """The settings with dropout at one place only, for each place that has a rate."""
    still = to_table(without_dropout(settings))
    for path, value in _leaves(still):
        if path.endswith("dropout"):
            assert value == 0
            *parents, last = path.removeprefix(".").split(".")
            inner: dict[str, Any] = {last: 0.3}
            for parent in reversed(parents):
                inner = {parent: inner}
            yield path, msgspec.convert(merge(still, inner), type(settings))


def turns_nothing(settings: DecoderSettings) -> bool:
    """Rotary positions where there are no queries and keys: refused, as another test says."""
    return (
        isinstance(settings, TransformerDecoderSettings)
        and isinstance(settings.positions, RotarySettings)
        and not isinstance(settings.past, SelfAttentionSettings)
    )


SCORES: list[ScoreSettings] = forms(ScoreSettings)
WINDOWS: list[WindowSettings] = forms(WindowSettings)
WIRINGS: list[WiringSettings] = forms(WiringSettings)
PLAIN_WIRINGS: list[WiringSettings] = forms(WiringSettings, {"score": SCORES[:1], "window": WINDOWS[:1]})

# a dot product needs a decoder as wide as the memory: 8 = 4 from each end
_ENCODER: Choices = {"size": [4], "num_layers": [1, 2], "summary": [OwnSummarySettings()]}
_DECODER: Choices = {"size": [8], "activation": ["relu"], "rotate_memory": [False]}
ENCODERS: list[EncoderSettings] = forms(TextEncoderSettings, _ENCODER)
ENCODER: EncoderSettings = forms(
    TextEncoderSettings, _ENCODER | {"num_layers": [1], "cell": ["gru"], "bidirectional": [True]}
)[0]
WIRED: list[DecoderSettings] = forms(RnnDecoderSettings, _DECODER | {"cell": ["gru"], "wiring": WIRINGS})
DECODERS: list[DecoderSettings] = [
    settings
    for settings in forms(DecoderSettings, _DECODER | {"num_layers": [1, 2], "wiring": PLAIN_WIRINGS})
    if not turns_nothing(settings)
]
EMBEDDINGS: list[EmbeddingSettings] = forms(EmbeddingSettings, {"size": [6]})
EMBEDDING: EmbeddingSettings = forms(EmbeddingSettings, {"size": [6], "share": ["none"]})[0]


def _models(
    embeddings: Sequence[EmbeddingSettings], encoders: Sequence[EncoderSettings], decoders: Sequence[DecoderSettings]
) -> list[Seq2SeqSettings]:
    return forms(Seq2SeqSettings, {"embedding": embeddings, "encoder": encoders, "decoder": decoders})


# every cell and depth on either side, every direction, every way to share; attention of the plainest kind
CELLS = _models([EMBEDDING], ENCODERS, DECODERS[:1])
CELLS += _models([EMBEDDING], [ENCODERS[0], ENCODERS[-1]], DECODERS)
CELLS += _models(EMBEDDINGS, [ENCODER], WIRED[:1])
# every summary, where it is given once and where it is given always
_SUMMED = forms(
    TextEncoderSettings,
    {
        "size": [4],
        "cell": ["lstm"],
        "activation": ["gelu"],
        "norm": ["pre"],
        "positions": [SinusoidalSettings()],
        "num_hops": [3],
    },
)
CELLS += _models([EMBEDDING], _SUMMED, forms(RnnDecoderSettings, _DECODER | {"cell": ["gru"], "wiring": PLAIN_WIRINGS}))
# every activation, before and after which the norm can stand
_BARE: Choices = {"num_layers": [1], "positions": [SinusoidalSettings()], "past": [SelfAttentionSettings()]}
CELLS += _models([EMBEDDING], ENCODERS[-1:], forms(TransformerDecoderSettings, {"size": [8]} | _BARE))
# every way to look at one's own past and at the memory, with positions that are added and positions that turn
_TWO_LAYERS: Choices = {
    "num_layers": [2],
    "norm": ["pre"],
    "positions": forms(SinusoidalSettings | RotarySettings),
    "rotate_memory": [False, True],
}
_PASTS = [
    settings for settings in forms(TransformerDecoderSettings, _DECODER | _TWO_LAYERS) if not turns_nothing(settings)
]
CELLS += _models([EMBEDDING], ENCODERS[-1:], _PASTS)
CELLS = list(dict.fromkeys(CELLS))
# every score in every window in every wiring
ATTENTIONS = _models([EMBEDDING], [ENCODER], WIRED)
# every kind of encoder under every kind of decoder
_FIRST_ENCODERS = list({type(settings): settings for settings in reversed(ENCODERS)}.values())
_FIRST_DECODERS = list(
    {(type(settings), type(getattr(settings, "past", None))): settings for settings in reversed(DECODERS)}.values()
)
# two layers on either side, of every kind: between layers, too, something can be dropped
_DEEP_ENCODERS = covering([settings for settings in ENCODERS if settings.num_layers == 2])
_DEEP_DECODERS = covering([settings for settings in DECODERS if settings.num_layers == 2])
DEEP = _models([EMBEDDING], _DEEP_ENCODERS, _DEEP_DECODERS[:1]) + _models(
    [EMBEDDING], _DEEP_ENCODERS[:1], _DEEP_DECODERS
)
DEEP += _models(covering(EMBEDDINGS), _DEEP_ENCODERS[:1], _DEEP_DECODERS[:1])
DEEP = list(dict.fromkeys(DEEP))
PAIRED = _models([EMBEDDING], _FIRST_ENCODERS, _FIRST_DECODERS)
ALL: list[Seq2SeqSettings] = list(dict.fromkeys([*CELLS, *ATTENTIONS, *PAIRED]))
# every wiring with every score and every window, over the cells with the most to carry: for what takes longer
_LSTMS: Choices = {"cell": ["lstm"], "num_layers": [2]}
_FEW_WIRINGS = [
    *forms(WiringSettings, {"window": WINDOWS[:1], "unit": [False]}),
    *forms(WiringSettings, {"window": WINDOWS, "score": SCORES[:1]}),
]
FEW = _models([EMBEDDING], [ENCODER], forms(RnnDecoderSettings, _DECODER | _LSTMS | {"wiring": _FEW_WIRINGS}))
# and every way to look at one's own past
FEW += _models([EMBEDDING], ENCODERS[-1:], _PASTS)
# and every kind of encoder, of positions and of summary
_KINDS: Choices = {"cell": ["gru"], "bidirectional": [True], "activation": ["gelu"], "norm": ["post"], "num_hops": [2]}
FEW += _models([EMBEDDING], covering(forms(TextEncoderSettings, {"size": [4]} | _KINDS)), WIRED[:1])
# and every way to make vectors of tokens
FEW += _models(covering(EMBEDDINGS), [ENCODER], WIRED[:1])
FEW = list(dict.fromkeys([*FEW, *PAIRED]))
# and those that write from either end
BOTH_WAYS = [
    msgspec.structs.replace(settings, both_ways=ways) for settings in covering(PAIRED) for ways in ("shared", "apart")
]
FEW += BOTH_WAYS

# every way to read pictures of 8 pixels, and every decoder
_PIXELS: list[PixelEncoderSettings] = forms(
    PixelEncoderSettings,
    {"size": [8], "channels": [(3, 4), (3, 4, 5)], "patch_width": [2, 3], "patch_height": [4], "num_hops": [2]},
)
_OWN = [encoder for encoder in _PIXELS if encoder.summary == OwnSummarySettings()]
READ = _models([EMBEDDING], _PIXELS, DECODERS[:1]) + _models([EMBEDDING], [_OWN[0], _OWN[-1]], DECODERS)
READ = list(dict.fromkeys(READ))


def name(settings: Table) -> str:
    """Its words, as the name of a test."""

    def words(table: dict[str, Any]) -> Iterator[str]:
        for key, value in table.items():
            if isinstance(value, dict):
                yield from words(value)
            elif isinstance(value, str):
                yield value
            elif value is True or key == "num_layers":
                yield key if value is True else str(value)

    return "-".join(words(to_table(settings)))


def without_dropout(settings: T) -> T:
    def still(table: Any) -> Any:
        parts = {part: getattr(table, part) for part in table.__struct_fields__}
        changed = {part: still(value) for part, value in parts.items() if isinstance(value, Table)}
        return msgspec.structs.replace(table, **changed, **{part: 0.0 for part in parts if part.endswith("dropout")})

    result: T = still(settings)
    return result


@cache
def network(settings: Seq2SeqSettings) -> Seq2Seq:
    """In double precision, so that equalities are tight, with weights that make it decided about what it says."""
    built = models.build_seq2seq(settings, num_source=NUM_TOKENS, num_target=NUM_TOKENS, joint=True).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.copy_(0.6 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    if built.around is not None:
        built.around.learn([example.source for example in examples()])
    return built


def examples() -> list[Example]:
    """Sources of 6, 3 and 5 tokens; targets shorter and much longer than those."""
    rng = np.random.default_rng(11)

    def ids(length: int) -> list[int]:
        return [int(token) for token in rng.integers(3, NUM_TOKENS, length)]

    return [
        Example(np.array([*ids(source), EOS]), np.array([BOS, *ids(target), EOS]))
        for source, target in ((5, 2), (2, 8), (4, 4))
    ]


class Tensors(NamedTuple):
    """The arguments of Seq2Seq.loss."""

    source_BS: Tensor
    source_length_B: Tensor
    target_BT: Tensor
    target_length_B: Tensor

    def memory(self, model: Seq2Seq) -> Memory:
        return model.encode(self.source_BS, self.source_length_B)

    def ways(self, model: Seq2Seq) -> list[tuple[Seq2Seq, Tensors]]:
        """What a network learns from, and who learns it: the targets as they are, and turned around if it learns both
        ways."""
        turned_BT = turned(self.target_BT, self.target_length_B)
        back = [(model.from_the_end(), self._replace(target_BT=turned_BT))] if model.both_ways else []
        return [(model, self), *back]

    def force(self, model: Seq2Seq, *, back: bool = False) -> Forced:
        return model.force(self.memory(model), self.target_BT, self.target_length_B, look=not back, back=back)


def batch(some: Sequence[Example], *, more_source: int = 0, more_target: int = 0) -> Tensors:
    """Examples side by side, with more padding than they need if asked."""
    num_source = max(len(example.source) for example in some) + more_source
    num_target = max(len(example.target) for example in some) + more_target
    source_BS = torch.full((len(some), num_source), JUNK)
    target_BT = torch.full((len(some), num_target), JUNK)
    for row, example in enumerate(some):
        source_BS[row, : len(example.source)] = torch.from_numpy(example.source)
        target_BT[row, : len(example.target)] = torch.from_numpy(example.target)
    return Tensors(
        source_BS,
        torch.tensor([len(example.source) for example in some]),
        target_BT,
        torch.tensor([example.num_tokens for example in some]),
    )


def close(actual: Tensor, expected: Tensor) -> bool:
    return actual.shape == expected.shape and torch.allclose(actual, expected, rtol=0, atol=1e-9)
