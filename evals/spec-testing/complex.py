#!/usr/bin/env python3
"""Mines specifications with adit's miners and tests them: complex.py ADIT PROJECTS LIBRARIES OUT [SECONDS].

PROJECTS is the folder that build.sh filled, LIBRARIES the class path with JUnit, OUT a CSV file. Each class
with labeled pairs is observed once while its tests run; miners make models of the traces, and `adit
test-spec` tests them, at most MOST of a class. Models with fewer than three events are left out, and so is
a model that another miner made too, and one that demands no order. Classes that OUT has already are not
tested again, and what `adit test-spec` said goes next to OUT, one JSON file for each row. Classes come in a
random order, the same in every run, so that a run that ends after SECONDS is a sample of all. A
specification gets PATIENCE; what is known then is its verdict. One that takes much longer all the same is a
row with the verdict `too long`.
"""
import csv, json, os, random, subprocess, sys, tempfile, time

adit, projects, libraries, out = sys.argv[1:5]
end = time.time() + float(sys.argv[5]) if len(sys.argv) > 5 else float("inf")
PATIENCE = 20  # Seconds.
MOST = 3
MINERS = {"dice": ["--algorithm", "dice"]}
MINERS["dice without properties"] = ["--algorithm", "dice", "--no-constraint-b"]
MINERS |= {f"k-tail {k}": ["--algorithm", "k-tail", "--k", str(k)] for k in (1, 2)}
MINERS |= {"sekt 1": ["--algorithm", "sekt", "--k", "1"], "adabu": ["--algorithm", "adabu"]}
COLUMNS = "project class miner states events transitions constraints verdict".split()
COLUMNS += ["buggy", "supported", "unknown", "seconds"]
labels = os.path.dirname(os.path.abspath(__file__))


def run(*command):
    """Runs adit; nothing if it takes much longer than it may."""
    try:
        return subprocess.run([adit, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=3 * PATIENCE)
    except subprocess.TimeoutExpired:
        return None


def tests_of(folder, name):
    """Tests named after a class, as mine.sh chooses them."""
    simple, found = name.split(".")[-1].split("$")[0], []
    for place, _, files in os.walk(folder):
        for file in files:
            stem = file.removesuffix(".class")
            other = any(word in stem for word in ("Performance", "TestData", "Abstract"))
            if stem == file or "$" in stem or other:
                continue
            if (stem.startswith(simple) and "Test" in stem[len(simple):]) or stem == "Test" + simple:
                found.append(os.path.relpath(os.path.join(place, stem), folder).replace("/", "."))
    return sorted(found)


done = set()
if os.path.exists(out):
    with open(out) as text:
        done = {(row["project"], row["class"]) for row in csv.DictReader(text)}
kept = out.removesuffix(".csv")
os.makedirs(kept, exist_ok=True)
with open(out, "a") as text:
    rows = csv.DictWriter(text, COLUMNS)
    if not done:
        rows.writeheader()
    classes = []
    for project in ("commons-codec", "commons-csv", "joda-convert", "commons-io"):
        with open(os.path.join(labels, f"{project}.csv")) as labeled:
            classes += sorted({(project, row["class"]) for row in csv.DictReader(labeled)})
    random.Random(1).shuffle(classes)
    for project, name in classes:
        place = os.path.join(projects, project)
        path = f"{place}/classes:{place}/tests:{libraries}"
        tests = tests_of(f"{place}/tests", name)
        if time.time() > end:
            break
        if (project, name) in done or not tests:
            continue
        with tempfile.TemporaryDirectory() as folder:
            traces, model = f"{folder}/traces.jsonl", f"{folder}/model.json"
            where = ["--no-project", "-c", path, "--tests", *tests, "--directory", f"{place}/source"]
            observed = run("observe", name, *where, "--states", "-q", "-o", traces)
            if not observed:
                print(project, name, "its tests take too long", flush=True)
                continue
            if observed.returncode != 0:
                print(project, name, observed.stderr.strip().splitlines()[:1], flush=True)
                continue
            known = []
            for miner in MINERS:
                row = {"project": project, "class": name, "miner": miner}
                to = ["--labels", "method", "--no-purity", "-q", "--no-report", "-o", model]
                made = run("infer", traces, *MINERS[miner], *to)
                if not made or made.returncode != 0:
                    continue
                with open(model) as file:
                    automaton = json.load(file)
                edges = automaton["edges"]
                events = {edge["event"] for edge in edges}
                # Two miners that make the same model have made one specification.
                if len(events) < 3 or automaton in known or len(known) >= MOST:
                    continue
                known.append(automaton)
                row |= {"states": len(automaton["states"]), "events": len(events), "transitions": len(edges)}
                start = time.time()
                said = run("test-spec", model, "--class", name, *where, "--json", "-q", "--workers", "1",
                           "--budget", "3000tests", "--script-limit", "5s", "--total-time", f"{PATIENCE}s")
                try:
                    answer = json.loads(said.stdout) if said else None
                except ValueError:
                    row["verdict"] = "error: " + said.stderr.strip().splitlines()[0]
                if not said:
                    row["verdict"] = "too long"
                elif "verdict" not in row:
                    if not answer["constraints"]:
                        known.pop()
                        continue
                    verdicts = [one["verdict"] for one in answer["constraints"]]
                    row |= {"constraints": len(verdicts), "verdict": answer["verdict"]}
                    row |= {each: verdicts.count(each) for each in ("buggy", "supported", "unknown")}
                    with open(f"{kept}/{project}-{name}-{miner}.json", "w") as file:
                        json.dump(answer, file)
                row["seconds"] = round(time.time() - start, 1)
                rows.writerow(row)
                text.flush()
                print(*row.values(), flush=True)
