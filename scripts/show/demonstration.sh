#!/usr/bin/env bash
# Real processes, with 95 % intervals: ten runs of scripts/testnet.sh, and five of networks of three and of ten sites by features
# (configs/contextual-world.yaml). RUNS=N is N of each.
#
# Together, sites of the first one must lose less than alone by the whole interval, founders and the one that joins later, and the one that is different
# no more than alone. By features founders lose at most 1.1 of alone; what the last site loses in its first 500 decisions is printed.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
play() { # NAME RUNS ARGUMENTS...
	local name=$1 runs=${RUNS:-$2}
	shift 2
	for i in $(seq "$runs"); do
		echo "$name, run $i" >&2
		"$folder/peerd" testnet "$@" --json 2>/dev/null >"$folder/$name-$i.json"
	done
}
play clinics 10 -c configs/reminders.yaml
play three 5 -c configs/contextual-world.yaml --set world.late.life=500 --set rounds.count=1000
play ten 5 -c configs/contextual-world.yaml --set world.late.life=500 --set rounds.count=1000 -n 10 --set rounds.every=30ms
python3 - "$folder" <<'PY'
import glob, json, math, sys
T = {4: 2.776, 9: 2.262}  # 97.5 % of Student's t
bad = 0
def interval(xs):
    n, m = len(xs), sum(xs) / len(xs)
    h = T.get(n - 1, 2.0 if n > 9 else 4.3) * math.sqrt(sum((x - m) ** 2 for x in xs) / (n - 1) / n) if n > 1 else math.inf
    return m, h
for name in ("clinics", "three", "ten"):
    docs = [json.load(open(f)) for f in glob.glob(f"{sys.argv[1]}/{name}-*.json")]
    print(f"{name}: {len(docs)} runs, {sum(d['rounds_skipped'] for d in docs)} rounds skipped")
    groups = {}
    for d in docs:
        for g in d.get("groups") or [{"name": "all", "own_regret_together": d["own_regret_together"], "own_regret_alone": d["own_regret_alone"]}]:
            groups.setdefault(g["name"], []).append((g["own_regret_together"], g["own_regret_alone"]))
    for group, xs in groups.items():
        t, th = interval([x for x, _ in xs])
        a, ah = interval([y for _, y in xs])
        s, sh = interval([x - y for x, y in xs])
        print(f"  {group}: together {t:.1f} ± {th:.1f}, alone {a:.1f} ± {ah:.1f}, more than alone {s:.1f} ± {sh:.1f}, {t / a:.2f} of alone")
        late, other = group.startswith("after"), "another" in group
        most = 0 if name == "clinics" and not other else .1 * a
        if name == "clinics" and other:
            broken = s - sh > 0
        elif name == "clinics":
            broken = s + sh >= 0
        else:
            broken = not late and s - sh > most
        if broken:
            bad += 1
            print(f"  {name}, {group}: the limit is broken")
print(f"{bad} limits broken")
sys.exit(bad > 0)
PY
