#!/usr/bin/env bash
# The folder of a peer as a build leaves it: after it ended, and after it was killed while it decided.
# Usage: scripts/old-folder.sh PEERD OUT; OUT gets clean.tar.gz and killed.tar.gz.
set -euo pipefail
peerd=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
pids=()
finish() {
	for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null || true; done
	rm -rf "$work"
}
trap finish EXIT
cd "$work"
for s in a b; do
	"$peerd" init --dir $s --set arms=red,green,blue --set privacy.epsilon=1 --set privacy.horizon=10000 --set learner.name=thompson \
		--set protocol.name=rows --set protocol.rows.every=2 --set rounds.every=200ms --set api.window=1s --set api.keep=8760h --set store.reserve=1 >/dev/null
done
port=$((20000 + $$ % 20000))
start=$(date -u -d '-1 second' +%Y-%m-%dT%H:%M:%SZ)
for s in a b; do
	i=0
	{
		printf 'name: clinics\nstart: %s\nevery: 200ms\npeers:\n' "$start"
		for p in a b; do
			printf '  - name: %s\n    id: %s\n    addrs: [/ip4/127.0.0.1/tcp/%d]\n' $p "$("$peerd" id --dir $p)" $((port + i))
			i=$((i + 1))
		done
		printf 'links: [[0, 1]]\n'
	} >$s/network.yaml
done
i=0
for s in a b; do
	sed -i "s|^#* *listen:.*|listen: [/ip4/127.0.0.1/tcp/$((port + i))]|" $s/peerd.yaml
	grep -q '^listen' $s/peerd.yaml || printf 'listen: [/ip4/127.0.0.1/tcp/%d]\n' $((port + i)) >>$s/peerd.yaml
	sed -i 's/^  subject: required/  subject: optional/' $s/peerd.yaml # later visits name nobody
	i=$((i + 1))
	"$peerd" run --dir $s 2>$s.log &
	pids+=($!)
done
call() { curl -sS --retry 3 --unix-socket "$work/a/peerd.sock" "http://peer/v1/$1" -H 'Content-Type: application/json' -d "$2"; }
for _ in $(seq 300); do curl -sS --unix-socket a/peerd.sock http://peer/readyz 2>/dev/null | grep -q ok && break; sleep .1; done
for n in $(seq 1 40); do
	call decisions "{\"id\":\"visit-$n\",\"subject\":\"patient-$n\"}" >>answers.jsonl
	printf '\n' >>answers.jsonl
	[ $((n % 4)) -eq 0 ] || call rewards "{\"id\":\"visit-$n\",\"value\":0.$((n % 10))}" >/dev/null
	sleep .02
done
sleep 2
keep() {
	cp answers.jsonl a/
	(cd a && rm -f peerd.sock lock && tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -czf "$out/$1.tar.gz" .)
}
kill -TERM "${pids[0]}"
wait "${pids[0]}" || true
keep clean
"$peerd" run --dir a 2>>a.log &
pids[0]=$!
for _ in $(seq 300); do curl -sS --unix-socket a/peerd.sock http://peer/readyz 2>/dev/null | grep -q ok && break; sleep .1; done
for n in $(seq 41 60); do
	call decisions "{\"id\":\"visit-$n\"}" >>answers.jsonl
	printf '\n' >>answers.jsonl
	call rewards "{\"id\":\"visit-$n\",\"value\":1}" >/dev/null
	sleep .02
done
kill -9 "${pids[0]}"
wait "${pids[0]}" 2>/dev/null || true
keep killed
ls -l "$out"
