"""A learner: the mean, and how far it may be from the truth by chance and by noise."""

import json
import math
import sys


def index(q):
    log = math.log(q["round"] + 2)
    for mean, var, noise in zip(q["mean"], q["sample_var"], q["noise_sd"]):
        # Of an arm of which nothing is known the number does not count: such arms come first.
        yield 0 if mean is None else mean + math.sqrt(log * (var / 4 + noise * noise))


json.loads(sys.stdin.readline())  # hello: arms, peers, rounds, seed, epsilon, parameter
print(json.dumps({"ok": True}), flush=True)
for line in sys.stdin:
    print(json.dumps({"index": list(index(json.loads(line)))}), flush=True)
