"""A program that does as its argument says, which is never what is wanted."""

import os
import signal
import sys
import time

how, role = sys.argv[1], sys.argv[2]
good = {"learner": '{"arm": 0}', "world": '{"reward": 1}', "protocol": "{}"}[role]


def say(text, end="\n"):
    sys.stdout.write(text + end)
    sys.stdout.flush()


def ready():
    sys.stdin.readline()
    say('{"means": [[0.5, 0.2, 0.1], [0.5, 0.2, 0.1]]}' if role == "world" else '{"ok": true}')


if how == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)
if how == "early":
    say(good)
    time.sleep(1000)
if how == "refuses":
    sys.stdin.readline()
    say('{"error": "I take two arms"}')
    time.sleep(1000)
ready()
if how == "dies":
    sys.stdin.readline()
    sys.exit("the dog ate my weights")
if how == "child":  # a process of its own holds the pipes
    if os.fork():
        os._exit(0)
    time.sleep(1000)
if how == "shut":
    sys.stdin.readline()
    os.close(1)
    time.sleep(1000)
for line in sys.stdin:
    if how == "silent":
        time.sleep(1000)
    if how == "stubborn":  # it plays well, and does not end
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(good)
        if '"round":3' in line:
            time.sleep(1000)
        continue
    say(
        {
            "rubbish": "arm nought",
            "endless": "x" * (3 << 20),
            "list": "[0]",
            "empty": "{}",
            "unknown": '{"arms": 0}',
            "beyond": '{"arm": 3}',
            "below": '{"arm": -1}',
            "half": '{"arm": 0.5}',
            "short": '{"index": [1, 2]}',
            "nan": '{"index": [1, 2, NaN]}',
            "huge": '{"index": [1, 2, 1e999]}',
            "both": '{"arm": 0, "index": [1, 2, 3]}',
            "one line": good + " " + good,
            "twice": good + "\n" + good,
            "over": '{"reward": 1.5}',
            "word": '{"reward": "1"}',
            "absent": '{"send": [[1, 0, 0]]}',
            "far": '{"send": [[2, 0, 0]]}',
            "pair": '{"send": [[1, 0]]}',
            "nobody": '{"send": [[1, 9, 0]]}',
            "few": '{"weights": [[1, 1, 1]]}',
            "narrow": '{"weights": [[1], [1], [1]]}',
            "negative": '{"weights": [[-1, 1, 1], [1, 1, 1], [1, 1, 1]]}',
            "regret": '{"reward": 1, "regret": 0.5}',
        }[how]
    )
