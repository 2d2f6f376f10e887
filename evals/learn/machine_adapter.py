"""An adapter whose subject is one of the machines of a JSON file: arguments are the file and its number."""

import json
import sys

steps = json.load(open(sys.argv[1]))[int(sys.argv[2])]
NUMBERS = {f"i{number}": number for number in range(len(steps[0]))}

for line in sys.stdin:
    message, answers = json.loads(line), []
    for request in message["requests"]:
        what = request["do"]
        if what == "call":
            output, state = steps[state][NUMBERS[request["name"]]]
            answers.append({"returned": None, "output": str(output)})
        elif what == "reset":
            state = 0
            answers.append({})
        elif what == "describe":
            operations = [{"name": name} for name in NUMBERS]
            answers.append({"protocol": 1, "name": "machine", "operations": operations})
        else:
            answers.append({})
    sys.stdout.write(json.dumps({"id": message["id"], "answers": answers}) + "\n")
    sys.stdout.flush()
