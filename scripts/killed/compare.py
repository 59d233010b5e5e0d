"""Compares what an application did with what its peer has: compare.py DID EXPORT PULLS KILLS."""

import collections
import json
import sys

did_file, export_file, pulls, kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(did_file) as f:
    did = [json.loads(line) for line in f]
with open(export_file) as f:
    has = [json.loads(line) for line in f]
by_id = {r["id"]: r for r in has}
problems, cut = [], 0
if len(by_id) != len(has) or len({r["id"] for r in did}) != len(did):
    problems.append("an id is there twice")
for r in did:
    x = by_id.pop(r["id"], None)
    if not x:
        problems.append(f"lost: {r}")
        continue
    here = (r["action"], r["propensity"], r["source"], r["value"] >= 0, max(r["value"], 0))
    there = (x["name"], x["pscore"], x["source"], x["reported"], x["reward"])
    if r["source"] == "table" != x["source"] and not x["reported"]:
        cut += 1  # the peer had decided, and refused the one that was drawn
    elif here != there:
        problems.append(f"{r['id']}: did {here}, the peer has {there}")
if pulls != len(has):
    problems.append(f"the peer counts {pulls} pulls of {len(has)} decisions")
if len(by_id) + cut > kills:  # those of which a kill cut off the answer
    problems.append(f"{len(by_id) + cut} decisions at the peer that the application did not get, with {kills} kills")
sources = collections.Counter(r["source"] for r in did)
print(f"{did_file}: {len(did)} decisions, {sources['table']} of them from tables, {sum(r['value'] >= 0 for r in did)} rewards; "
      f"{len(by_id)} more, and {cut} others, at the peer, whose answers {kills} kills cut off")
if problems or sources["table"] < len(did) / 10 or sources["table"] == len(did):
    sys.exit("\n".join(problems[:10]) or f"not enough of both kinds: {sources}")
