"""A door with a lock, as an adapter: see docs/guide/learn.md."""
import json
import sys


class Stuck(Exception):
    pass


class Door:
    def __init__(self):
        self.is_open = self.is_locked = False

    def open(self):
        if self.is_open or self.is_locked:
            raise Stuck
        self.is_open = True

    def close(self):
        if not self.is_open:
            raise Stuck
        self.is_open = False

    def lock(self, code):
        if self.is_open or self.is_locked:
            raise Stuck
        self.is_locked = True
        self.code = code

    def unlock(self, code):
        if not self.is_locked:
            raise Stuck
        self.is_locked = code != self.code
        return not self.is_locked


CODE = {"name": "code", "kind": "int", "values": [1, 2], "only": True}
OPERATIONS = [
    {"name": "open"},
    {"name": "close"},
    {"name": "lock", "parameters": [CODE]},
    {"name": "unlock", "parameters": [CODE], "answer": "bool"},
]

for line in sys.stdin:
    message, answers = json.loads(line), []
    for request in message["requests"]:
        if request["do"] == "describe":
            answers.append({"protocol": 1, "name": "Door", "operations": OPERATIONS})
        elif request["do"] == "reset":
            door = Door()
            answers.append({})
        elif request["do"] == "call":
            try:
                answers.append({"returned": getattr(door, request["name"])(*request["args"])})
            except Stuck:
                answers.append({"threw": "Stuck"})
        else:
            answers.append({})
    print(json.dumps({"id": message["id"], "answers": answers}), flush=True)
