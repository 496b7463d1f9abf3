"""Settings that parts of several kinds have, each told once."""

from __future__ import annotations

from typing import Annotated, Literal

from regard.config import Meta
from regard.nn.positions import PositionSettings

NumLayers = Annotated[int, Meta(ge=1, description="layers on top of each other")]
StateSize = Annotated[int, Meta(ge=1, description="width of the states")]
NumHeads = Annotated[int, Meta(ge=1, description="heads of attention; they share the width")]
HiddenSize = Annotated[int, Meta(ge=1, description="width inside the feed-forward half")]
Activation = Annotated[Literal["relu", "gelu", "gated"], Meta(description="inside the feed-forward half")]
AttentionDropout = Annotated[float, Meta(ge=0, lt=1, description="share of the weights dropped")]
WhatStandsWhere = Annotated[PositionSettings, Meta(description="how it knows what stands where")]
