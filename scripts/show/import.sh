#!/usr/bin/env bash
# A log in the form of the Open Bandit Dataset (a small synthetic one) is reported to a real peer in shadow mode, twice, as an application would,
# and evaluated. It fails if a decision is there twice, or if IPS or SNIPS of a policy, or an end of an interval, differs in
# the fourth digit from a program of thirty lines that reads the file itself. Needs python3. Half a minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
log=$PWD/internal/extra/evaluation/testdata/obd.csv
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"

./peerd init --dir shop --set arms=first,second,third,fourth --set privacy.epsilon=1 --set listen=/ip4/127.0.0.1/tcp/8677 --set api.shadow=propose --set api.window=2s >/dev/null
./peerd network new --dir shop --name shops --peer shop --addr /ip4/127.0.0.1/tcp/8677 >/dev/null
start shop
until_ok answers shop
for _ in 1 2; do ./peerd decisions import "$log" --format obd --dir shop; done
sleep 3
./peerd decisions evaluate --dir shop --json >shop.json
python3 - "$log" <<'END'
import csv, json, math, sys
rows = [(int(r["item_id"]), int(r["click"]), float(r["propensity_score"])) for r in csv.DictReader(open(sys.argv[1]))]
names, n, z = ("first", "second", "third", "fourth"), len(rows), 1.959963984540054

def expected(chance):
    """IPS and SNIPS of a policy, each with its interval."""
    w = [chance(a) / p for a, _, p in rows]
    x = [v * r for v, (_, r, _) in zip(w, rows)]
    ips = sum(x) / n
    half = z * math.sqrt(sum((v - ips) ** 2 for v in x) / (n - 1) / n)
    snips = sum(x) / sum(w)
    other = z * math.sqrt(sum((v * (r - snips)) ** 2 for v, (_, r, _) in zip(w, rows))) / sum(w)
    return {"ips": (ips, ips - half, ips + half), "snips": (snips, snips - other, snips + other)}

policies = {"uniform": lambda a: 1 / len(names)}
for i, name in enumerate(names):
    policies["always " + name] = lambda a, i=i: float(a == i)
report, bad = json.load(open("shop.json")), 0
assert report["decisions"] == n, f"{report['decisions']} decisions of {n} are there"
for e in report["estimates"]:
    for kind, want in expected(policies[e["policy"]]).items() if e["policy"] in policies else ():
        got = e[kind] and (e[kind]["value"], e[kind]["low"], e[kind]["high"])
        if got:
            bad += any(round(g, 4) != round(w, 4) for g, w in zip(got, want))
        print(f"{e['policy']:14} {kind:6}", " ".join(f"{v:.4f}" for v in got) if got else "no estimate", "  own program", " ".join(f"{v:.4f}" for v in want))
sys.exit(bad > 0)
END
echo ok
