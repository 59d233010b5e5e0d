#!/usr/bin/env bash
# Each extra is taken away by its line in cmd/peerd/extras.go or extras_build.go, and last all of them: the program is built, has the extra's
# command no more, refuses a setting that names what the extra has, makes a site, runs, and learns from 120 rewards which of two actions
# pays. Arguments are names of extras. Needs curl; port 8697 must be free. Half a minute each.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
root=$PWD lists=(extras extras_build)

# commands, which are gone with their extras; of other extras, the command that has the extra's name
declare -A command=([audit]='audit --quick' [bundle]='audit verify' [claims]='experiment claims' [evaluation]='decisions evaluate' [export]='decisions export'
	[explain]='privacy explain' [lab]=testnet [replay]='decisions import' [settings]='config check')
# what the API of a program without an extra does not know
declare -A path=([metrics]=/metrics [receipts]=/v1/receipts [tables]=/v1/table)

# settings that name what is gone with an extra, and what is there in its place: the refusal lists it
declare -A lost=([features]='learner.name=linucb personalized' [running]='privacy.mechanism=kary each')

# build NAME|all: the program without an extra. It prints how many lines of this module the program links.
build() {
	local pattern="extra/$1\"" list replace=''
	[ "$1" != all ] || pattern='extra/'
	for list in "${lists[@]}"; do
		grep -v "_ \"peerd.dev/internal/$pattern" "$root/cmd/peerd/$list.go" >"$dir/$list.go"
		replace+=",\"$root/cmd/peerd/$list.go\":\"$dir/$list.go\""
	done
	echo "{\"Replace\":{${replace#,}}}" >"$dir/overlay.json"
	go build -C "$root" -overlay "$dir/overlay.json" -o "$dir/peerd" ./cmd/peerd || fail "no program without $1"
	go list -C "$root" -overlay "$dir/overlay.json" -deps -f '{{$d := .Dir}}{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}' ./cmd/peerd |
		xargs cat | wc -l
}

# site PATH makes a site, runs it, and fails unless it takes the action that pays, and does not know the path.
site() {
	local answer id pays green=0 n
	rm -rf site
	./peerd init --dir site --set arms=red,green --set privacy.epsilon=1 --set listen=/ip4/127.0.0.1/tcp/8697 --set rounds.every=100ms --set api.window=1s >/dev/null
	./peerd network new --dir site --name one --peer site --addr /ip4/127.0.0.1/tcp/8697 >/dev/null
	start site
	until_ok ready site
	for n in {1..120}; do
		answer=$(ask site /v1/decisions -H 'Content-Type: application/json' -d "{\"subject\":\"user-$SRANDOM\"}")
		id=$(sed -n 's/.*"id":"\([^"]*\)".*/\1/p' <<<"$answer")
		pays=$(grep -c '"action":"green"' <<<"$answer" || true)
		[ "$n" -le 80 ] || green=$((green + pays))
		ask site /v1/rewards -o /dev/null -H 'Content-Type: application/json' -d "{\"id\":\"$id\",\"value\":$pays}"
	done
	n=$(ask site /v1/inside | sed 's/{"given":\([0-9]*\),"kept":\([0-9]*\),.*/\1+\2/')
	[ $((n)) = 120 ] || fail "120 decisions are not there"
	[ "$(ask site "$1" -o /dev/null -w '%{http_code}')" = 404 ] || fail "it answers $1"
	end site
	[ "$green" -ge 32 ] || fail "green, which pays, has $green of the last 40 decisions"
}

mapfile -t extras < <(sed -n 's|^\t_ "peerd.dev/internal/extra/\([a-z]*\)".*|\1|p' cmd/peerd/extras.go cmd/peerd/extras_build.go)
names=("$@")
[ $# -gt 0 ] || names=("${extras[@]}" all)
cd "$dir"
printf '%-12s %10s %8s\n' WITHOUT LINES SECONDS
for name in "${names[@]}"; do
	begin=$SECONDS
	lines=$(build "$name")
	for gone in "${extras[@]}"; do
		[ "$name" = all ] || [ "$name" = "$gone" ] || continue
		words=${command[$gone]:-$gone}
		# shellcheck disable=SC2086 # words of a command line
		if ./peerd $words --help 2>/dev/null | sed -n '/^Usage:/{n;p}' | grep -q "peerd ${words%% --*}"; then fail "without $gone there is still peerd $words"; fi
		read -r setting there <<<"${lost[$gone]:-}"
		[ -z "$setting" ] || { ./peerd init --dir lost --set arms=red,green --set "$setting" 2>&1 || true; } | grep -q "^${setting/=/: }: want $there" || fail "without $gone $setting is not refused"
	done
	site "${path[$name]:-/v1/nothing}"
	printf '%-12s %10d %8d\n' "$name" "$lines" $((SECONDS - begin))
done
