"""Training: target tokens a second, and the share of the machine's matrix peak that this is."""

from __future__ import annotations

from statistics import median

from conduct import Found, Plan, alternate, begin, say
from report import number, spread, table
from shape import AFTER, SHAPE, flop

# name: environment, program, shape, more of its job
PROGRAMS = {
    "regard": ("regard", "train_regard.py", SHAPE, {}),
    "regard, bfloat16": ("regard", "train_regard.py", SHAPE, {"precision": "bfloat16"}),
    "regard, plain parts": ("regard", "train_regard.py", SHAPE, {"fast": False}),
    "plain PyTorch": ("regard", "plain.py", SHAPE, {}),
    "plain PyTorch, bfloat16": ("regard", "plain.py", SHAPE, {"precision": "bfloat16"}),
    "regard, after the cell": ("regard", "train_regard.py", AFTER, {}),
    "regard, after the cell, bfloat16": ("regard", "train_regard.py", AFTER, {"precision": "bfloat16"}),
    "JoeyNMT 2.3.0": ("joeynmt", "train_joeynmt.py", AFTER, {}),
}
OURS = ("regard", "regard, after the cell")  # what those of the same wiring are compared with
PEAKS = {precision: f"matrix peak, {precision}" for precision in ("float32", "bfloat16")}


def measure(plan: Plan, texts: Found, data: str) -> Found:
    say("training")
    shared = {
        "data": data,
        "texts": str(plan.work / "texts"),
        "batch": plan.batch,
        "batch_tokens": texts["batch_tokens"],
        "seconds": plan.seconds,
        "warm_up": plan.warm_up,
    }
    peers = [
        begin(plan, name, "regard", "peak.py", {"seconds": min(plan.seconds, 3), "precision": precision})
        for precision, name in PEAKS.items()
    ]
    for name, (env, script, shape, more) in PROGRAMS.items():
        out = str(plan.work / "runs" / name.replace(" ", "-").replace(",", ""))
        peers.append(begin(plan, name, env, script, {**shared, "shape": shape.to_json(), "out": out, **more}))
    rates = {name: [one["rate"] for one in turn[0]] for name, turn in alternate(peers, plan.rounds, [{}]).items()}
    peaks = {precision: rates.pop(name) for precision, name in PEAKS.items()}
    programs = {}
    for peer in peers:
        if peer is None or peer.name not in rates:
            continue
        _, _, shape, more = PROGRAMS[peer.name]
        work, precision = flop(shape, **texts["for_each_target_token"]), more.get("precision", "float32")
        programs[peer.name] = {
            **peer.facts,
            "wiring": shape.wiring,
            "precision": precision,
            "flop_a_token": work,
            "tokens_a_second": rates[peer.name],
            "share_of_peak": [
                rate * work / peak for rate, peak in zip(rates[peer.name], peaks[precision], strict=True)
            ],
        }
    return {"shape": SHAPE.to_json(), "texts": texts, "peak": peaks, "programs": programs}


def tables(found: Found) -> str:
    programs = found["programs"]
    ours = {
        precision: {
            programs[name]["wiring"]: programs[name]["tokens_a_second"]
            for name in (f"{one}{suffix}" for one in OURS)
            if name in programs
        }
        for precision, suffix in (("float32", ""), ("bfloat16", ", bfloat16"))
    }
    rows = []
    for name, one in programs.items():
        rates = one["tokens_a_second"]
        same = (ours[precision].get(one["wiring"]) for precision in ours)
        ratios = [f"{median(a / b for a, b in zip(its, rates, strict=True)):.2f}" if its else "" for its in same]
        rows.append([
            name, one["wiring"], f"{one['parameters']:,}", f"{one['flop_a_token'] / 1e6:.1f}", number(median(rates)),
            spread(rates), f"{100 * median(one['share_of_peak']):.0f} %", *ratios,
        ])  # fmt: skip
    heads = ["program", "attends", "parameters", "MFLOP a token", "target tokens/s", "least–most", "of the peak"]
    peaks = [
        f"Matrix peak, {precision}: {median(rates) / 1e9:.0f} GFLOPS ({spread(rates, 1e9)})."
        for precision, rates in found["peak"].items()
    ]
    return table([*heads, "regard is × as fast", "in bfloat16"], rows) + "\n\n" + " ".join(peaks)
