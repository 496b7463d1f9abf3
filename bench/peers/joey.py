"""JoeyNMT's settings for the network of the comparison."""

from __future__ import annotations

from typing import Any

FOREVER = 10**9


def settings(job: dict[str, Any]) -> dict[str, Any]:
    """What a user's YAML file would say. Its `plateau` scheduling fails with current torch."""
    shape, texts = job["shape"], job["texts"]
    # the texts are sub-words already: to JoeyNMT they are words, and it need not split them in its loop
    language = {"level": "word", "lowercase": False, "voc_file": f"{texts}/vocabulary.txt", "max_length": -1}
    embeddings = {"embedding_dim": shape["embedding"], "scale": False, "dropout": shape["dropout"]}
    rnn = {"type": "recurrent", "rnn_type": "gru", "num_layers": 1, "embeddings": embeddings}
    return {
        "name": "peers",
        "model_dir": job["out"],
        "use_cuda": False,
        "random_seed": 1,
        "data": {
            "train": f"{texts}/train",
            "dev": f"{texts}/val",
            "test": f"{texts}/test",
            "dataset_type": "plain",
            "src": {"lang": "src", **language},
            "trg": {"lang": "trg", **language},
        },
        "testing": {"batch_size": job["batch"], "batch_type": "sentence"},
        "training": {
            "optimizer": "adam",
            "scheduling": "warmupinversesquareroot",
            "learning_rate": 0.001,
            "learning_rate_min": 0.0,  # below it training would end, and the warm-up begins there
            "learning_rate_warmup": 400,
            "clip_grad_norm": 1.0,
            "normalization": "tokens",
            "label_smoothing": 0.1,
            "batch_size": job["batch"],
            "batch_type": "sentence",
            "epochs": FOREVER,
            "logging_freq": 5,
            "validation_freq": FOREVER // 5 * 5,
        },
        "model": {
            "encoder": {**rnn, "hidden_size": shape["encoder"], "bidirectional": True, "dropout": shape["dropout"]},
            "decoder": {
                **rnn,
                "hidden_size": shape["decoder"],
                "dropout": shape["dropout"],
                "hidden_dropout": shape["dropout"],
                "attention": "bahdanau",
                "input_feeding": True,
                "init_hidden": "bridge",
            },
        },
    }
