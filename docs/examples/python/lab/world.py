"""A world: rewards of a Beta distribution, with means that sites share nearly."""

import json
import random
import sys

hello = json.loads(sys.stdin.readline())
rng = random.Random(hello["seed"])
shared = [rng.uniform(0.2, 0.8) for _ in range(hello["arms"])]
means = [[m + rng.uniform(-0.1, 0.1) for m in shared] for _ in range(hello["peers"])]
print(json.dumps({"means": means}), flush=True)
for line in sys.stdin:
    q = json.loads(line)
    mean = means[q["site"]][q["arm"]]
    print(json.dumps({"reward": rng.betavariate(4 * mean, 4 * (1 - mean))}), flush=True)
