#!/usr/bin/env bash
# Own affairs while the only admin is away: a peer moves, and another one gets a new key; each is linked with all its neighbours within
# 10 s. Then keys are replaced while applications decide. Then peers and commands are killed (kill -9) while the network changes:
# every folder starts again, all sites end on one document, and every ledger verifies.
# Usage: scripts/show.sh document [kills]
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"
kills=${1:-100} port=${PORT:-23670}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
sites=(a b c d)
./peerd init --dir a --set 'arms=[red, green]' --set spare_arms=2 --set privacy.epsilon=1 --set privacy.horizon=1000000 --set privacy.answers=anyone \
	--set rounds.every=500ms --set api.window=1s --set "listen=[$(address 0)]" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" >/dev/null
start a
until_ok answers a
n=0
for s in b c d; do
	n=$((n + 1))
	token=$(./peerd network invite "$s" --dir a)
	./peerd join "$token" --yes --dir "$s" --set privacy.answers=anyone --listen "$(address $n),$(address $((n + 10)))" --addr "$(address $n)" >/dev/null 2>&1
	start "$s"
	until_ok answers "$s"
done
until_ok linked "${sites[@]}"
for s in "${sites[@]}"; do
	until_ok ready "$s"
	play "$s"
done
shown() { ./peerd network show --dir "$1" --json | tr -d ' \n'; }
says() { # TEXT SITE...: their documents have the text
	local s
	for s in "${@:2}"; do shown "$s" | grep -qF "$1" || return 1; done
}
new_key() { [ "$(./peerd id --dir "$1")" != "$2" ] && says "$(./peerd id --dir "$1")" "${@:3}"; }
up() { # SITE LINKS: at least that number of its links are up
	[ "$(ask "$1" /v1/peers | grep -o '"state":"up"' | wc -l)" -ge "$2" ]
}
took() { # NAME COMMAND...: waits for it, 10 s at most
	local began
	began=$(date +%s%N)
	within 10 "${@:2}"
	echo "$1: $((($(date +%s%N) - began) / 1000000)) ms"
}

end a
linked_again() { up b 2 && up c 2 && up d 2; }
within 60 linked_again
changed() { cat b.log c.log d.log | grep -c '"the network changed"'; } # after which links are opened again
was=$(changed)
./peerd network move --dir b --addr "$(address 11)" >/dev/null
moved() { says "$(address 11)" b c d && [ "$(changed)" = $((was + 3)) ] && linked_again; }
took "with the admin stopped, b has moved and its neighbours are linked again after" moved
before=$(./peerd id --dir c)
was=$(changed)
./peerd network rotate --dir c >/dev/null
rekeyed() { new_key c "$before" b c d && [ "$(changed)" = $((was + 3)) ] && linked_again; }
took "with the admin stopped, c has a new key and its neighbours are linked again after" rekeyed
start a
until_ok ready a
until_ok linked "${sites[@]}"
until_ok says "$(address 11)" a

for s in b c d a; do
	before=$(./peerd id --dir "$s")
	./peerd network rotate --dir "$s" >/dev/null
	within 60 new_key "$s" "$before" "${sites[@]}"
	until_ok linked "${sites[@]}"
done
for s in "${sites[@]}"; do
	refused=$(grep -cv '^200$' "$s.codes" || true)
	[ "$s" = a ] || [ "$refused" = 0 ] || fail "$s: $(sort "$s.codes" | uniq -c)"
	echo "$s: $(grep -c '^200$' "$s.codes") rewards while four keys were replaced"
done

k=0
actions=0
while [ $k -lt "$kills" ]; do
	s=${sites[$((RANDOM % 4))]}
	case $((k % 8)) in
	0) change="network move --dir $s --addr $(address $(((RANDOM % 2) * 10 + $(printf %d "'$s") - 97)))" ;;
	1) change="network invite guest$k --dir a" ;;
	2) change="network set protocol.phases.pull $((2 + RANDOM % 5)) --dir a" ;;
	3) change="network remove guest$((k - 2)) --dir a" ;;
	4) change="network unlink $s $([ "$s" = b ] && echo c || echo b) --dir a" ;;
	5) change="network link b c --dir a" ;;
	6) change="network rotate --dir $s" ;;
	7) change="network retire none --dir a" ;;
	esac
	[ "$change" = "network rotate --dir $s" ] && [ $((k % 24)) != 6 ] && change="network show --dir $s"
	./peerd $change &>/dev/null &
	command=$!
	sleep "0.$((RANDOM % 10))"
	victim=${sites[$((RANDOM % 4))]}
	eval "p=\$pid_$victim"
	if [ $((RANDOM % 3)) = 0 ]; then kill -KILL $command 2>/dev/null || true; fi
	wait $command 2>/dev/null || true
	kill -KILL "$p"
	wait "$p" 2>/dev/null || true
	k=$((k + 1))
	start "$victim"
	within 40 answers "$victim"
done
for s in "${sites[@]}"; do within 60 ready "$s"; done
same() {
	local s first
	first=$(shown a | grep -o '"document":{.*}' | sed 's/"proposed".*//')
	for s in b c d; do [ "$(shown "$s" | grep -o '"document":{.*}' | sed 's/"proposed".*//')" = "$first" ] || return 1; done
}
within 60 same
within 60 linked "${sites[@]}"
for s in "${sites[@]}"; do
	verify "$s"
	left=$(find "$s" -maxdepth 1 -name '*network.json?*' ! -name '*.lock' | wc -l)
	[ "$left" = 0 ] || fail "$s: files are left: $(ls "$s")"
done
echo "$kills kills of peers during changes: every folder started again, four sites have version $(version a) of one document"
echo ok
