#!/usr/bin/env bash
# What application developers stumbled over: each request with what was answered at build 5f22b8f and what is answered now. A row fails
# if the answer is not what was asked for. Needs python3, npm and curl. One minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
clients=$PWD/node/api/client/python
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"

post() { ask "$1" "$2" -H 'Content-Type: application/json' -d "$3"; }
# row NAME THEN WANT COMMAND...: runs the command, whose output must match WANT.
row() {
	local out
	out=$("${@:4}" 2>&1) || true
	printf '\n%s\n  request: %s\n  then:    %s\n' "$1" "$(echo "${*:4}" | cut -c1-150)" "$2"
	printf '  now:     %s\n' "$(grep -E -m1 -- "$3" <<<"$out" | sed 's/^ *//' | cut -c1-220)"
	grep -qE -- "$3" <<<"$out" || fail "$1: wanted $3 in: $out"
}
# absent NAME THEN NOT COMMAND...: the output must not match NOT.
absent() {
	local out
	out=$("${@:4}" 2>&1) || fail "$1: $out"
	printf '\n%s\n  request: %s\n  then:    %s\n  now:     absent\n' "$1" "$(echo "${*:4}" | cut -c1-150)" "$2"
	! grep -qE -- "$3" <<<"$out" || fail "$1: there is $3 in: $out"
}
site() { # NAME PORT [FLAG OF INIT...]
	./peerd init --dir "$1" --set privacy.epsilon=1 --set privacy.answers=anyone --set "listen=/ip4/127.0.0.1/tcp/$2" --set "api.window=${window:-1s}" "${@:3}" >/dev/null
	./peerd network new --dir "$1" --name "$1" --peer "$1" --addr "/ip4/127.0.0.1/tcp/$2" >/dev/null
	start "$1"
	until_ok answers "$1"
}
python() { PYTHONPATH=$clients python3 -B -c "$1"; }

row 'J3.1 a learner by features is set up by one command' 'five keys that no one can guess, in three rounds of trial' '^ok' \
	bash -c "./peerd init --dir try --set arms=mail,call --set privacy.epsilon=1 --set 'features.context=[hour=0..24, device=mobile|desktop]' >/dev/null && ./peerd config check try/peerd.yaml"
site shop 8673 --set arms=mail,call --set 'features.context=[hour=0..24, device=mobile|desktop]'
absent 'J3.2 the privacy page does not contradict itself' '"not which actions were taken" and two lines on "for which action"' 'made, for which action' \
	./peerd privacy explain --config shop/peerd.yaml
row 'J3.3 the status says that it learns by features' 'p1 hidden 0.0000; 2 eigenvalues negative' 'learns by features' ./peerd status --dir shop
absent 'J3.3 the status shows nothing that means nothing' 'p1 hidden 0.0000; 2 eigenvalues negative' 'hidden|eigenvalues' ./peerd status --dir shop
absent 'J3.4 one horizon' 'round 214 of 20,000 ... at least 5 more are paid for' 'round [0-9,]+ of' ./peerd status --dir shop
row 'J3.5 features by name' '422 body.context: want a list' '"propensity"' post shop /v1/decisions '{"id":"one","subject":"p1","context":{"hour":14,"device":"mobile"}}'
row 'J3.5 a typing error' '-' 'body.context.device.*mobile' post shop /v1/decisions '{"subject":"p2","context":{"hour":14,"device":"phone"}}'
twice() { for i in 1 2; do post shop /v1/decisions '{"subject":"patient-17","context":{"hour":3,"device":"desktop"}}'; echo; done; }
row 'J3.10 why a decision does not count' 'counted: false, without a reason' '"uncounted":"subject"' twice
post shop /v1/rewards '{"id":"one","value":1}' >/dev/null
sleep 3
row 'J3.6 exports have what was on offer, and the context as asked' 'mapped features of the chosen offer only' '^id,.*context.*offered.*action_context' \
	bash -c './peerd decisions export --dir shop -o shop.csv --format csv >/dev/null && cat shop.csv'
row 'J3.6 evaluation built in' 'by own programs' '^what ran' ./peerd decisions evaluate --dir shop
row 'J3.7 propensities allow evaluation' 'propensity 1' '"propensity":0\.' post shop /v1/decisions '{"subject":"p3","context":{"hour":14,"device":"mobile"}}'
row 'a client without its peer' "Unreachable POST /v1/decisions: FileNotFoundError(2, ...)" 'no peer runs' python 'from peerd import Client; Client(dir="nowhere", deadline=0.3).decide()'
row 'J3.8 packages (for Python and Go see scripts/show.sh clients)' 'two files to copy' 'peerd-.*\.tgz' npm pack --dry-run "$clients/../node"
site ward 8674 --set arms=usual,new --set api.shadow=propose
row 'J3.9 shadow mode' 'absent' '"proposed":' post ward /v1/decisions '{"subject":"p1","taken":{"action":"usual","propensity":0.9}}'
site clinic 8675 --set arms=usual,new --set api.baseline=usual --set api.baseline_share=0.8
row 'J3.9 a baseline keeps a share' 'absent' 'usual has 0.8 of the decisions' ./peerd status --dir clinic
window=6s site store 8676 --set arms=usual,new
row 'J3.9 a table for when the peer is down' 'absent' '"weight":' ask store /v1/table
for i in $(seq 20); do
	post store /v1/decisions "{\"id\":\"v$i\",\"subject\":\"v$i\"}" >/dev/null
	post store /v1/rewards "{\"id\":\"v$i\",\"value\":1}" >/dev/null
done
sleep 9 # until they are released
row 'U1.7 the command says what a new action does' 'no word' 'tenth of the decisions' ./peerd network extend blue --dir store
sleep 3
fifty() { for i in $(seq 50); do post store /v1/decisions "{\"subject\":\"w$SRANDOM\"}"; done; }
absent 'U1.7 applications that do not know it do not get it' 'all five of them ended' '"action":"blue"' fifty
named() { for i in $(seq 100); do post store /v1/decisions "{\"subject\":\"n$i\",\"actions\":[\"usual\",\"new\",\"blue\"]}"; echo; done | grep -c '"action":"blue"'; }
row 'U1.9 its share is bounded until something is known of it' '69 of the next 100 decisions' '^(1?[0-9]|2[0-5])$' named
echo ok
