"""A protocol: what is new to a peer goes on to its neighbours, except where it came from."""

import json
import sys

links = json.loads(sys.stdin.readline())["links"]
print(json.dumps({"ok": True}), flush=True)
for line in sys.stdin:
    q = json.loads(line)
    send = [
        [to, new["origin"], new["arm"]]
        for new in q["news"]
        for to in links[q["self"]]
        if to not in (new["from"], new["origin"])
    ]
    print(json.dumps({"send": send}), flush=True)
