#!/usr/bin/env python3
"""Planted bugs of subjects/servers: time to find each, with the model and without.

    python3 evals/fuzz.py ADIT [--server ftpd] [--runs 10] [--budget 60s[,60s]] [--arms model,codes]

`ftpd` is the server that the fuzzer was made with. `smtpd` was held out, until the fuzzer was changed after looking
at it, and so was `rtspd`. `pop3d` is held out: its bugs were written before the fuzzer met it. The models of these
three were learned by `adit learn`.

A second budget is that of the arm without a model, which a tenth of the time can be shown with.
Both arms have the same alphabet, the same seeds and the same fuzzer; they run in turn, so that a load of the
machine hits both. A bug that a run did not find counts as found after the budget. Prints Markdown.
"""
import argparse, json, statistics, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Alphabet, model, and the bugs: name, kind of the finding, labels at which it shows.
SERVERS = {
    "ftpd": ("ftp", "examples/ftp.model.json", [
        ("long-name", "crash", ["MKD"]),
        ("four-in-order", "crash", ["PROT"]),
        ("skip-past-end", "hang", ["RETR"]),
        ("stale-rename", "crash", ["RNTO"]),
        ("no-password", "new-transition", ["DELE"]),
    ]),
    "smtpd": ("smtp", "examples/smtp.model.json", [
        ("long-domain", "crash", ["HELO", "EHLO"]),
        ("late-login", "crash SIGSEGV", ["RCPT"]),
        ("many-recipients", "crash SIGABRT", ["RCPT"]),
        ("freed-twice", "crash", ["RSET"]),
        ("bounce-loop", "hang", ["MESSAGE"]),
        ("open-list", "new-transition", ["EXPN"]),
    ]),
    "rtspd": ("rtsp", "examples/rtsp.model.json", [
        ("long-transport", "crash", ["SETUP"]),
        ("long-parameter", "crash", ["SET_PARAMETER"]),
        ("stale-stream", "crash SIGABRT", ["PLAY"]),
        ("record-play", "crash SIGSEGV", ["PLAY"]),
        ("seek-back", "hang", ["PLAY"]),
        ("open-parameter", "new-transition", ["GET_PARAMETER"]),
    ]),
    "pop3d": ("pop3", "examples/pop3.model.json", [
        ("long-user", "crash", ["USER"]),
        ("negative-top", "crash", ["TOP"]),
        ("reset-retrieve", "crash", ["RETR"]),
        ("all-deleted", "hang", ["LIST"]),
        ("open-stat", "new-transition", ["STAT"]),
        ("stale-lock", "crash SIGSEGV", ["PASS", "TOKEN"]),
    ]),
}


def run(adit, server, alphabet, arm, seed, budget, folder, model, options):
    command = [adit, "fuzz", "--alphabet", alphabet, "--budget", budget, "--seed", str(seed), "--minimize", "0"]
    command += ["--json", "-q", "-o", str(folder)]
    command += [str(model)] if arm == "model" else ["--without-model"]
    done = subprocess.run(command + ["--", server, "{port}", *options], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def shows(finding, kind, labels):
    """Tells whether a finding is of a kind, such as `crash` or `crash SIGSEGV`, at one of the labels."""
    told = f"{finding['kind']} {finding['detail']}"
    return finding["label"] in labels and (told + " ").startswith(kind + " ")


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("adit")
    flags.add_argument("--server", default="ftpd", choices=SERVERS)
    flags.add_argument("--alphabet", help="another alphabet than the shipped one")
    flags.add_argument("--runs", type=int, default=10)
    flags.add_argument("--first-seed", type=int, default=0, help="of as many as there are runs")
    flags.add_argument("--budget", default="60s")
    flags.add_argument("--arms", default="model,codes")
    flags.add_argument("--model", help="another model than the one in examples/")
    flags.add_argument("--option", action="append", default=[], help="argument for the server, such as --option=--no-loop")
    flags.add_argument("--raw", help="also write every run to this file, a JSON object a line")
    flags = flags.parse_args()
    arms = flags.arms.split(",")
    budgets = dict(zip(arms, flags.budget.split(",") * len(arms)))
    limits = {arm: float(budget.removesuffix("s")) for arm, budget in budgets.items()}
    alphabet, model, bugs = SERVERS[flags.server]
    model = flags.model or ROOT / model
    found = {(arm, bug[0]): [] for arm in arms for bug in bugs}
    rates = {arm: [] for arm in arms}
    raw = open(flags.raw, "w") if flags.raw else None
    with tempfile.TemporaryDirectory() as place:
        server = f"{place}/{flags.server}"
        subprocess.run(["cc", "-O1", "-o", server, ROOT / f"subjects/servers/{flags.server}.c"], check=True)
        for seed in range(flags.first_seed, flags.first_seed + flags.runs):
            for arm in arms:
                answer = run(flags.adit, server, flags.alphabet or alphabet, arm, seed, budgets[arm],
                             f"{place}/{arm}{seed}", model, flags.option)
                rates[arm].append(answer["sessions_per_second"])
                for name, kind, labels in bugs:
                    hits = [f for f in answer["findings"] if shows(f, kind, labels)]
                    first = min(hits, key=lambda f: f["session"], default=None)
                    found[arm, name].append((first["seconds"], first["session"]) if first else None)
                if raw:
                    raw.write(json.dumps({"arm": arm, "seed": seed, **answer}) + "\n")
                    raw.flush()
                print(f"seed {seed} {arm}: {[b[0] for b in bugs if found[arm, b[0]][-1]]}", file=sys.stderr)
    print(f"{flags.runs} runs of {' and '.join(budgets[arm] for arm in arms)} each; sessions a second: " + ", ".join(
        f"{arm} {statistics.median(rates[arm]):.0f}" for arm in arms))
    for arm in arms:
        whole = [[found[arm, bug[0]][at] for bug in bugs] for at in range(flags.runs)]
        found[arm, "all of them"] = [max(hits) if all(hits) else None for hits in whole]
    print("\n| bug | arm | found | median s | min–max s | median session |\n|---|---|---|---|---|---|")
    for name in [*(bug[0] for bug in bugs), "all of them"]:
        for arm in arms:
            hits, limit = found[arm, name], limits[arm]
            seconds = sorted(hit[0] if hit else limit for hit in hits)
            sessions = sorted(hit[1] if hit else float("inf") for hit in hits)
            middle = statistics.median_low(sessions)
            spread = f"{seconds[0]:.1f}–{seconds[-1]:.1f}"
            print(f"| {name} | {arm} | {sum(map(bool, hits))} of {len(hits)} "
                  f"| {'>' if statistics.median(seconds) >= limit else ''}{statistics.median(seconds):.1f} "
                  f"| {spread} | {'–' if middle == float('inf') else middle} |")


main()
