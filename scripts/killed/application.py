"""The same as main.go in Python."""

import contextlib
import json
import sys
import time
import uuid
import zlib

from peerd import Client, Conflict, Unreachable

folder, name, seconds = sys.argv[1:]
peer = Client(dir=folder, table=name + ".table", table_every=1, timeout=0.2, deadline=0.3)
with open(name + ".did", "a+") as did:
    did.seek(0)
    for last in did.readlines()[-1:]:  # it may have been killed before it reported this one
        r = json.loads(last)
        if r["value"] >= 0:
            with contextlib.suppress(Conflict):  # a kill cut off the peer's own decision
                peer.reward(r["id"], r["value"])
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        time.sleep(0.01)
        try:
            d = peer.decide(subject=uuid.uuid4().hex)
        except Unreachable:
            continue  # there is no table yet
        value = zlib.crc32(d.id.encode()) % 3 - 1  # a third gets none
        did.write(json.dumps({"id": d.id, "action": d.action, "propensity": d.propensity, "source": d.source, "value": value}) + "\n")
        did.flush()
        if value >= 0:
            with contextlib.suppress(Conflict):
                peer.reward(d.id, value)
left = peer.close()
print("left", len(left), json.dumps(vars(peer.table())))
