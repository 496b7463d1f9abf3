"""Multi30k en→de as the same sub-words for every program: files of ids, made by regard's own tokenisers.

`train.src`, `train.trg`, …: a sentence a line, its ids with spaces between, without the end symbol. `vocabulary.txt`:
all ids but the three special ones. The answer says how many tokens there are, and how many tokens a batch of regard
must have, so that it holds as many sentences on average as the batches of the others.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from pace import Pace

from regard.text import tokenisers
from regard.text.batch import Example, plan
from regard.text.tokenisers.base import NUM_SPECIALS

LANGUAGES = {"src": "en", "trg": "de"}


def lines(path: Path) -> list[str]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.decode("utf-8").rstrip("\n").split("\n")


def batch_tokens(examples: list[Example], batch: int) -> int:
    """The size in tokens whose batches have `batch` sentences on average, by halving."""
    low, high = batch, 100 * batch
    while high - low > 1:
        middle = (low + high) // 2
        few = len(plan(examples, tokens=middle, seed=1, epoch=1)) > len(examples) / batch
        low, high = (middle, high) if few else (low, middle)
    return high


def main() -> None:
    pace = Pace()
    tok, out = Path(pace.job["data"]) / "multi30k" / "tok", Path(pace.job["out"])
    names = {"train": "train.lc.norm.tok.{}.gz", "val": "val.lc.norm.tok.{}", "test": "test_2016_flickr.lc.norm.tok.{}"}
    out.mkdir(parents=True, exist_ok=True)
    train: dict[str, list[list[int]]] = {}
    for side, language in LANGUAGES.items():
        texts = {split: lines(tok / name.format(language)) for split, name in names.items()}
        tokeniser = tokenisers.train(tokenisers.BpeSettings(size=pace.job["vocabulary"]), texts["train"])
        for split in names:
            ids = tokeniser.encode_all(texts[split])
            written = "".join(" ".join(map(str, line)) + "\n" for line in ids)
            (out / f"{split}.{side}").write_text(written, encoding="utf-8")
            if split == "train":
                train[side] = ids
    vocabulary = "".join(f"{id_}\n" for id_ in range(NUM_SPECIALS, pace.job["vocabulary"]))
    (out / "vocabulary.txt").write_text(vocabulary, encoding="utf-8")
    # both sides end with the end symbol; a target begins with another, which is not predicted
    source = np.array([len(ids) + 1 for ids in train["src"]])
    target = np.array([len(ids) + 1 for ids in train["trg"]])
    examples = [Example(np.zeros(s, np.int64), np.zeros(t + 1, np.int64)) for s, t in zip(source, target, strict=True)]
    num_targets = int(target.sum())
    pace.say(
        num_pairs=len(source),
        tokens_a_source=float(source.mean()),
        tokens_a_target=float(target.mean()),
        batch_tokens=batch_tokens(examples, pace.job["batch"]),
        for_each_target_token={
            "num_sources": int(source.sum()) / num_targets,
            "num_positions": int((source * target).sum()) / num_targets,
            "num_sentences": len(source) / num_targets,
        },
    )


if __name__ == "__main__":
    main()
