#!/usr/bin/env bash
# The first hour of a network of four sites, each in a network namespace of its own: from nothing to shared learning
# with the commands of the README, and then what years bring, while every site decides 20 times a second: a
# fifth site joins and leaves, one gets a new key, one gets a new address, an action is added, and all are upgraded, one
# after the other. It prints commands, files edited by hand and seconds, and fails if learning is not shared within two minutes
# of the first reward, if a decision or a reward is refused or lost, if a site stops to learn for more than two
# rounds, or if a ledger does not verify. Needs root and iproute2. Four minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
folder=hospital-
go build -o "$dir/peerd-first" ./cmd/peerd
go build -ldflags=-s -o "$dir/peerd-next" ./cmd/peerd # another program, from the same source
go build -o "$dir/visitors" ./scripts/visitors
cd "$dir"
cp peerd-first peerd # what the sites have installed

bridge ph$$ a=10.77.0.1/24 b=10.77.0.2/24 c=10.77.0.3/24 d=10.77.0.4/24 e=10.77.0.5/24
address() { echo "/ip4/10.77.0.$1/tcp/8471"; }
commands=0
# peerd SITE ARGUMENTS runs a command that a person types at a site.
peerd() {
	local s=$1
	shift
	commands=$((commands + 1))
	echo "   hospital-$s$ peerd $*" | cut -c1-150 >&2
	$(at "$s") ./peerd "$@" --dir "hospital-$s"
}
first() {
	commands=$((commands + 1))
	echo "   hospital-$1$ peerd run" >&2
	start "$1"
}
# shared: estimates of all four sites rest on releases of others, too. A site gives some decisions of about half of the actions.
shared() {
	local s
	for s in a b c d; do
		ask "$s" /v1/arms | grep -q '"borrowed_sites":[1-9]' || return 1
	done
}
visit() {
	./visitors -dir "hospital-$1" -name "$1" -rate 20 -start "$begin" -every 1s -pays red=.3,green=.5,blue=.65,white=.4 >"$1.json" 2>"$1.err" &
	pids+=($!)
	eval "visitors_$1=$!"
}
leave() {
	local p
	eval "p=\$visitors_$1"
	kill -TERM "$p" 2>/dev/null || true
	wait "$p" || true
}
figure() { sed -n "s/.*\"$2\":\([0-9.]*\).*/\1/p" "$1.json"; }

echo "== from nothing"
clock=$(date +%s)
since() { echo $(($(date +%s) - clock)); }
peerd a init --set arms=red,green,blue --set privacy.epsilon=1 --set 'api.offer=[all]' >/dev/null
peerd a network new --name clinics --peer hospital-a --addr "$(address 1)" >/dev/null
peerd a doctor >a.doctor || fail "$(cat a.doctor)"
begin=$(./peerd network show --dir hospital-a | sed -n 's/^rounds of .* from //p')
first a
until_ok answers a
visit a
for s in b c d; do
	token=$(peerd a network invite "hospital-$s")
	peerd "$s" join --yes "$token" --set 'api.offer=[all]' >/dev/null
	first "$s"
	until_ok answers "$s"
	visit "$s"
done
rewards=$(date +%s)
printf '%s s after the first command four sites run and decide; %s commands, 0 files edited by hand\n' "$(since)" "$commands"
for _ in $(seq 600); do
	if shared; then break; fi
	sleep 0.2
done
shared_after=$(($(date +%s) - rewards))
printf 'learning is shared %s s after the first rewards, %s s after the first command\n' "$shared_after" "$(since)"
[ "$shared_after" -le 120 ] || fail "no shared learning within two minutes"
sleep 15

echo "== a fifth site joins"
token=$(peerd a network invite hospital-e)
peerd e join --yes "$token" --set 'api.offer=[all]' >/dev/null
first e
until_ok answers e
until_ok linked a b c d e
visit e
sleep 15
echo "== it leaves"
leave e
peerd e network remove hospital-e >/dev/null
until_ok shown ' hospital-e, gone' a b c d
until_ok linked a b c d
sleep 10
echo "== b gets a new key"
before=$(./peerd id --dir hospital-b)
peerd b network rotate >/dev/null
rekeyed() { [ "$(./peerd id --dir hospital-b)" != "$before" ]; }
until_ok rekeyed
until_ok linked a b c d
sleep 10
echo "== c gets a new address"
ip -n "$net-c" addr add 10.77.0.33/24 dev eth0
peerd c network move --addr "$(address 33)" >/dev/null
until_ok shown " hospital-c, present.*$(address 33)" a b c d
ip -n "$net-c" addr del 10.77.0.3/24 dev eth0
ip -n "$net-c" addr add 10.77.0.33/24 dev eth0 2>/dev/null || true # if it was secondary
until_ok linked a b c d
sleep 10
echo "== a fourth action for all"
v=$(version a)
peerd a network extend white >/dev/null
until_ok agree $((v + 1)) a b c d
until_ok linked a b c d
chosen() { ask "$1" /v1/inside | grep -q '"name":"white","decisions":[1-9]'; }
for s in a b c d; do until_ok chosen $s; done
sleep 10
echo "== all are upgraded, one after the other"
program() { sha256sum peerd | cut -c1-12; }
echo "   from program $(program)"
cp peerd-next peerd.new
mv peerd.new peerd
echo "   to program $(program)"
for s in a b c d; do
	end "$s"
	start "$s"
	until_ok linked a b c d
	sleep 5
done
sleep 10

echo "== what the applications saw"
for s in a b c d; do leave "$s"; done
for s in a b c d e; do
	[ -s "$s.json" ] || fail "no figures of $s"
	printf 'hospital-%s: %s decisions, %s rewards, %s refused, %s lost; longest answer %.1f s, longest pause of learning %s rounds, %.1f s without a link; %s of %s rounds for one action\n' \
		"$s" "$(figure $s decisions)" "$(figure $s rewards)" "$(figure $s refused)" "$(figure $s lost)" "$(figure $s longest_answer_seconds)" \
		"$(figure $s longest_pause_rounds)" "$(figure $s longest_unlinked_seconds)" "$(figure $s rounds_of_one)" "$(figure $s rounds)"
	[ "$(figure $s refused)" = 0 ] && [ "$(figure $s lost)" = 0 ] || fail "$s: $(cat $s.json $s.err)"
	[ "$(figure $s rewards)" = "$(figure $s decisions)" ] || fail "$s: $(cat $s.json)"
	[ "$(figure $s longest_pause_rounds)" -le 2 ] || fail "$s stopped to learn"
	sed -n 's/.*\("actions":{[^}]*}\).*/   \1/p' "$s.json"
done
for s in a b c d; do
	verify "$s"
done
echo ok
