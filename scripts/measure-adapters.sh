#!/usr/bin/env bash
# Mines and validates classes of Python's standard library, and prints the table of docs/perf/adapters.md.
# Usage: scripts/measure-adapters.sh [FOLDER [CLASS…]]; ADIT names the binary, BUDGET the time for each step.
set -euo pipefail
adit=${ADIT:-./adit}
budget=${BUDGET:-15s}
out=${1:-adit-out/adapters}
shift || true
classes=("$@")
if [ ${#classes[@]} -eq 0 ]; then
    classes=(io.StringIO io.BytesIO threading.Lock threading.RLock threading.Semaphore threading.BoundedSemaphore
        threading.Event collections.deque queue.Queue queue.SimpleQueue graphlib.TopologicalSorter hashlib.sha256
        contextlib.ExitStack zipfile.ZipFile tempfile.SpooledTemporaryFile sqlite3.Connection array.array
        zlib.compressobj concurrent.futures.Future html.parser.HTMLParser)
fi
mkdir -p "$out"
printf '| class | operations | states | transitions | precision | recall | calls a second |\n|---|---|---|---|---|---|---|\n'
for class in "${classes[@]}"; do
    folder=$out/$class
    "$adit" mine "$class" --adapter "${ADAPTER:-python}" --budget "$budget" --fresh -o "$folder" --json \
        >"$out/$class.mine.json" 2>"$out/$class.mine.log" || true
    "$adit" validate "$folder/model.json" "$class" --adapter "${ADAPTER:-python}" --budget "$budget" --json \
        >"$out/$class.validate.json" 2>"$out/$class.validate.log" || true
    "$adit" observe "$class" --adapter "${ADAPTER:-python}" --budget 3s --json -o "$out/$class.jsonl" \
        >"$out/$class.observe.json" 2>"$out/$class.observe.log" || true
    python3 - "$out/$class" "$class" <<'PYTHON'
import json, sys

place, name = sys.argv[1:]

def read(kind):
    try:
        with open("%s.%s.json" % (place, kind)) as file:
            return json.load(file)
    except ValueError:
        return {}

mined, valid, seen = read("mine"), read("validate"), read("observe")
names = {label.split(":")[0] for label in mined.get("alphabet", [])}
share = lambda figure: "–" if valid.get(figure) is None else "%.3f" % valid[figure]
rate = seen.get("adapter", {}).get("calls_per_second")
print("| `%s` | %d | %s | %s | %s | %s | %s |" % (
    name, len(names) - 1, mined.get("states", "–"), mined.get("transitions", "–"), share("precision"), share("recall"),
    "–" if rate is None else format(round(rate, -2), ",.0f")))
PYTHON
done
