"""CTranslate2 translates: a Transformer-Tiny (4 + 4 layers, 128 wide, 256 in the feed-forward layers, 4 heads) with
random weights, one thread for each of its workers, a given number of steps for every sentence."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec
from pace import Pace

LAYERS, HEADS, SIZE, INNER = 4, 4, 128, 256


def build(vocabulary: list[str]) -> TransformerSpec:
    """The specification, every weight drawn at random."""
    random = np.random.default_rng(1)

    def matrix(rows: int, columns: int) -> Any:
        return (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    def linear(layer: Any, outputs: int, inputs: int) -> None:
        layer.weight, layer.bias = matrix(outputs, inputs), np.zeros(outputs, np.float32)

    def norm(layer: Any) -> None:
        layer.gamma, layer.beta = np.ones(SIZE, np.float32), np.zeros(SIZE, np.float32)

    def attention(block: Any, *outputs: int) -> None:
        norm(block.layer_norm)
        for layer, size in zip(block.linear, outputs, strict=True):
            linear(layer, size, SIZE)

    def feed_forward(block: Any) -> None:
        norm(block.layer_norm)
        linear(block.linear_0, INNER, SIZE)
        linear(block.linear_1, SIZE, INNER)

    spec = TransformerSpec.from_config((LAYERS, LAYERS), HEADS)
    spec.encoder.embeddings[0].weight = matrix(len(vocabulary), SIZE)
    spec.decoder.embeddings.weight = matrix(len(vocabulary), SIZE)
    linear(spec.decoder.projection, len(vocabulary), SIZE)
    for stack in (spec.encoder, spec.decoder):
        norm(stack.layer_norm)
        for layer in stack.layer:
            attention(layer.self_attention, 3 * SIZE, SIZE)
            feed_forward(layer.ffn)
    for layer in spec.decoder.layer:
        attention(layer.attention, SIZE, 2 * SIZE, SIZE)
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    return spec


def main() -> None:
    pace = Pace()
    job, texts = pace.job, Path(pace.job["texts"])
    tokens = texts.joinpath("vocabulary.txt").read_text(encoding="utf-8").splitlines()
    spec = build(["<unk>", "<s>", "</s>", *tokens])
    spec.validate()
    parameters = sum(variable.numpy().size for variable in spec.variables().values())
    spec.optimize(quantization=job["type"])
    out = Path(job["out"])
    out.mkdir(parents=True, exist_ok=True)
    spec.save(str(out))
    translator = ctranslate2.Translator(
        str(out), compute_type=job["type"], inter_threads=job["threads"], intra_threads=1
    )
    lines = texts.joinpath("test.src").read_text(encoding="utf-8").splitlines()[: job["num_sentences"]]
    sources = [[*line.split(), "</s>"] for line in lines]

    def translate(beam: int) -> list[Any]:
        return translator.translate_batch(
            sources,
            beam_size=beam,
            max_batch_size=job["batch"],
            min_decoding_length=job["num_steps"],
            max_decoding_length=job["num_steps"],
        )

    assert all(len(one.hypotheses[0]) == job["num_steps"] for one in translate(5)), "every output has its full length"
    pace.say(parameters=parameters, threads=job["threads"])
    while True:
        beam, begun = pace.wait()["beam"], time.monotonic()
        translate(beam)
        pace.say(rate=len(sources) / (time.monotonic() - begun))


if __name__ == "__main__":
    main()
