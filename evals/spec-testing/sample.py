#!/usr/bin/env python3
"""Draws pairs `a` before `b` from mined properties: sample.py MINED CLASSES JAVAP MOST SEED.

MINED is the output folder of mine.sh, CLASSES the compiled library, JAVAP the command, MOST the largest number of
pairs of one class. Prints `class,a,b,templates,support`, sorted. Constructors and static methods are left out.
"""
import csv, json, os, random, re, subprocess, sys

mined, classes, javap, most, seed = sys.argv[1:]
out = csv.writer(sys.stdout)
for file in sorted(os.listdir(mined)):
    if not file.endswith(".json"):
        continue
    name = file[: -len(".json")]
    with open(os.path.join(mined, file)) as text:
        found = json.load(text)["properties"]
    listing = subprocess.run([javap, "-p", "-cp", classes, name], capture_output=True, text=True).stdout
    left_out = {re.split(r"[.$]", name)[-1]}
    left_out |= {m.group(1) for m in re.finditer(r"\bstatic\b.*?(\w+)\(", listing)}
    pairs = {}
    for one in found:
        first, second = one["a"], one["b"]
        if one["template"] in ("AP", "AIP"):
            first, second = second, first
        bare = {first.split("(")[0], second.split("(")[0]}
        if first == second or bare & left_out:
            continue
        templates, support = pairs.get((first, second), (set(), 0))
        pairs[first, second] = (templates | {one["template"]}, max(support, one["support"]))
    chosen = sorted(pairs)
    if len(chosen) > int(most):
        chosen = sorted(random.Random(f"{seed} {name}").sample(chosen, int(most)))
    for first, second in chosen:
        templates, support = pairs[first, second]
        out.writerow([name, first, second, "+".join(sorted(templates)), support])
