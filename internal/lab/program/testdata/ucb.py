"""Learner ucb of peerd, line by line, which must choose the same arms."""

import json
import math
import sys

blocks, logs = {}, {}


def tail(v, b, g, l):
    if b == 0:
        return math.sqrt(2 * g * l)
    p = v / (b * b)
    return b * (l + p * math.log1p(l / (2 * p))) * math.sqrt(1 + 2 * p / l)


def index(q):
    t, peer = q["round"] + 2, q["peer"]
    if t > blocks.get(peer, 0):
        step = 1 << max(0, t.bit_length() - 7)
        blocks[peer] = (t + step - 1) // step * step
        logs[peer] = math.log(2) + 2 * math.log(blocks[peer])
    l = logs[peer]
    for x, var, v, b, g in zip(q["mean"], q["sample_var"], q["laplace_sum_sq"], q["laplace_max"], q["gauss_var"]):
        yield 0 if x is None else x + math.sqrt(var * l / 2) + tail(v, b, g, l)


json.loads(sys.stdin.readline())
print('{"ok": true}', flush=True)
for line in sys.stdin:
    print(json.dumps({"index": list(index(json.loads(line)))}), flush=True)
