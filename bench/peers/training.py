"""Training: target tokens a second, and the share of the machine's matrix peak that this is."""

from __future__ import annotations

from statistics import median

from conduct import Found, Plan, alternate, begin, say
from report import number, spread, table
from shape import AFTER, SHAPE, flop

# name: environment, program, shape, more of its job
PROGRAMS = {
    "regard": ("regard", "train_regard.py", SHAPE, {}),
    "regard, plain parts": ("regard", "train_regard.py", SHAPE, {"fast": False}),
    "plain PyTorch": ("regard", "plain.py", SHAPE, {}),
    "regard, after the cell": ("regard", "train_regard.py", AFTER, {}),
    "JoeyNMT 2.3.0": ("joeynmt", "train_joeynmt.py", AFTER, {}),
}
OURS = ("regard", "regard, after the cell")  # what those of the same wiring are compared with
PEAK = "matrix peak"


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
    peers = [begin(plan, PEAK, "regard", "peak.py", {"seconds": min(plan.seconds, 3)})]
    for name, (env, script, shape, more) in PROGRAMS.items():
        out = str(plan.work / "runs" / name.replace(" ", "-").replace(",", ""))
        peers.append(begin(plan, name, env, script, {**shared, "shape": shape.to_json(), "out": out, **more}))
    rates = {name: [one["rate"] for one in turn[0]] for name, turn in alternate(peers, plan.rounds, [{}]).items()}
    peaks = rates.pop(PEAK)
    programs = {}
    for peer in peers:
        if peer is None or peer.name not in rates:
            continue
        work = flop(PROGRAMS[peer.name][2], **texts["for_each_target_token"])
        programs[peer.name] = {
            **peer.facts,
            "wiring": PROGRAMS[peer.name][2].wiring,
            "flop_a_token": work,
            "tokens_a_second": rates[peer.name],
            "share_of_peak": [rate * work / peak for rate, peak in zip(rates[peer.name], peaks, strict=True)],
        }
    return {"shape": SHAPE.to_json(), "texts": texts, "peak": peaks, "programs": programs}


def tables(found: Found) -> str:
    programs = found["programs"]
    ours = {PROGRAMS[name][2].wiring: programs[name]["tokens_a_second"] for name in OURS if name in programs}
    rows = []
    for name, one in programs.items():
        rates, same = one["tokens_a_second"], ours.get(one["wiring"])
        ratio = median(a / b for a, b in zip(same, rates, strict=True)) if same else None
        rows.append([
            name, one["wiring"], f"{one['parameters']:,}", f"{one['flop_a_token'] / 1e6:.1f}", number(median(rates)),
            spread(rates), f"{100 * median(one['share_of_peak']):.0f} %", f"{ratio:.2f}" if ratio else "",
        ])  # fmt: skip
    heads = ["program", "attends", "parameters", "MFLOP a token", "target tokens/s", "least–most", "of the peak"]
    peak = f"Matrix peak, float32: {median(found['peak']) / 1e9:.0f} GFLOPS ({spread(found['peak'], 1e9)})."
    return table([*heads, "regard is × as fast"], rows) + f"\n\n{peak}"
