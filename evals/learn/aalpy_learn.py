"""Learns the machines of a JSON file with AALpy, and prints a row of JSON for each algorithm and machine.

Arguments: file of machines, equivalence (`perfect` or `words`), algorithms (`kv,lsharp`), and the adapter's
command for `--adapter`: the system is then that process, asked over the same pipe protocol as adit asks it.
"""

import argparse
import json
import random
import subprocess
import time

from aalpy.SULs import MealySUL
from aalpy.automata import MealyMachine, MealyState
from aalpy.base import SUL
from aalpy.learning_algs import run_KV, run_Lsharp
from aalpy.oracles import PerfectKnowledgeEqOracle, RandomWordEqOracle


def machine(steps):
    states = [MealyState(str(number)) for number in range(len(steps))]
    for state, row in zip(states, steps):
        for symbol, (output, to) in enumerate(row):
            state.output_fun[symbol] = output
            state.transitions[symbol] = states[to]
    return MealyMachine(states[0], states)


class PipeSUL(SUL):
    """A process that speaks the adapter protocol; one line for each word, as far as AALpy knows it ahead."""

    def __init__(self, command):
        super().__init__()
        self.process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0
        self.exchange([{"do": "describe", "protocol": 1, "subject": "machine"}])

    def exchange(self, requests):
        line = json.dumps({"id": self.id, "requests": requests}) + "\n"
        self.id += 1
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["answers"]

    def pre(self):
        self.exchange([{"do": "reset"}])

    def post(self):
        pass

    def step(self, letter):
        return int(self.exchange([{"do": "call", "name": f"i{letter}", "args": []}])[0]["output"])

    def query(self, word):
        self.num_queries += 1
        self.num_steps += len(word)
        calls = [{"do": "call", "name": f"i{letter}", "args": []} for letter in word]
        return [int(answer["output"]) for answer in self.exchange([{"do": "reset"}] + calls)[1:]]


parser = argparse.ArgumentParser()
parser.add_argument("machines")
parser.add_argument("equivalence", choices=["perfect", "words"])
parser.add_argument("algorithms")
parser.add_argument("--words", type=int)
parser.add_argument("--longest", type=int)
parser.add_argument("--adapter")
flags = parser.parse_args()

for index, steps in enumerate(json.load(open(flags.machines))):
    truth = machine(steps)
    alphabet = list(range(len(steps[0])))
    for algorithm in flags.algorithms.split(","):
        random.seed(index)
        sul = PipeSUL(f"{flags.adapter} {index}") if flags.adapter else MealySUL(truth)
        if flags.equivalence == "perfect":
            oracle = PerfectKnowledgeEqOracle(alphabet, sul, truth)
        else:
            oracle = RandomWordEqOracle(
                alphabet, sul, num_walks=flags.words, min_walk_len=1, max_walk_len=flags.longest
            )
        wall, cpu = time.perf_counter(), time.process_time()
        settings = {"automaton_type": "mealy", "print_level": 0, "return_data": True}
        if algorithm == "kv":
            learned, data = run_KV(alphabet, sul, oracle, **settings)
        else:
            rule = {"lsharp": "SepSeq", "lsharp-ads": "ADS"}[algorithm]
            learned, data = run_Lsharp(alphabet, sul, oracle, extension_rule=rule, separation_rule="ADS", **settings)
        row = {
            "machine": index,
            "learner": f"AALpy {algorithm}",
            "states": learned.size,
            "rounds": data["learning_rounds"],
            "queries": data["queries_learning"] + data["queries_eq_oracle"],
            "symbols": data["steps_learning"] + data["steps_eq_oracle"],
            "learning_queries": data["queries_learning"],
            "learning_symbols": data["steps_learning"],
            "seconds": time.perf_counter() - wall,
            "cpu_seconds": time.process_time() - cpu,
        }
        print(json.dumps(row), flush=True)
        if flags.adapter:
            sul.process.stdin.close()
            sul.process.wait()
