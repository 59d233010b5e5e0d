#!/usr/bin/env bash
# Compares the results of this working tree with those of an earlier commit, byte for byte: rows and summaries of
# experiments, traces of processes in lockstep, reports of audits. Folders that the earlier build leaves, half of them killed,
# are opened by this build and go on. The cases are the lines of identical.txt, which explains them.
#
#	scripts/show/identical.sh [-k PATTERN] [COMMIT]
#
# -k takes the cases whose kind and name match a regular expression. PEERD_BASE names a binary of the commit that is
# already built. PEERD_BASE_CACHE names a folder that keeps the results of the commit, so that a later run plays only this
# working tree.
set -euo pipefail
cd "$(dirname "$0")/../.."
pattern=.
if [ "${1:-}" = -k ]; then
	pattern=$2
	shift 2
fi
commit=$(git rev-parse "${1:-5f22b8f}^{commit}")
table=$PWD/scripts/show/identical.txt
dir=$(mktemp -d /tmp/same.XXXX) # short: names of sockets begin with it
trap 'rm -rf "$dir"' EXIT
data=${PEERD_DATA:-} base=${PEERD_BASE:-} cache=${PEERD_BASE_CACHE:-$dir/cache}
for v in $(compgen -v PEERD_ || true); do unset "$v"; done # all settings of a case are in its line
[ -z "$data" ] || export PEERD_DATA=$data
mkdir -p "$dir/base" "$dir/now" "$dir/cases" "$dir/out" "$cache/$commit"
cache=$(realpath "$cache/$commit")
git archive "$commit" | tar -x -C "$dir/base"
if [ -n "$base" ]; then
	cp "$base" "$dir/base/peerd"
else
	(cd "$dir/base" && go build -o peerd ./cmd/peerd)
fi
go build -o "$dir/now/peerd" ./cmd/peerd
cp -r configs "$dir/now/configs"

# words LINE prints the words of a line, each with a zero byte behind it; @NAME stands for the words of that set.
words() {
	local w all
	eval "all=($1)"
	for w in "${all[@]}"; do
		if [[ $w = @* ]]; then
			words "$(grep "^set ${w#@} " "$table" | cut -d' ' -f3- | grep . || echo "no.set=$w")"
		else
			printf '%s\0' "$w"
		fi
	done
}
# options reads settings and puts them into the array set as options.
options() {
	local all s
	mapfile -d '' -t all
	set=()
	for s in "${all[@]}"; do [ -z "$s" ] || set+=(--set "$s"); done
}

# An experiment gives its rows, and what it says of each cell except its time and folder.
experiment() { # SIDE OUT WORK [FILE]
	local code=0 set=("${set[@]}")
	[ "$1" = now ] || grep -rq alone_noised "$dir/base/internal/lab/plan" || set=("${set[@]//alone_noised/alone}") # its earlier name
	"$dir/$1/peerd" experiment run "${@:4}" --dir "$3/none" -o "$3/results" "${set[@]}" >"$3/log" 2>&1 || code=$?
	if [ ! -s "$3/results/rows.jsonl" ]; then
		tail -n 3 "$3/log" >"$2.failed"
		return
	fi
	{
		echo "exit code $code"
		sed 's/alone[_ ]noised/alone/g' "$3/results/rows.jsonl" # an earlier name of the key
		sed -E '/"own_regrets": \[/,/^      \]/d; /"own_regret(_95|_95_to_alone|_to_alone)?": \{/,/\}/d; s/alone[_ ]noised/alone/g' "$3/results/summary.json" | grep -vE '"(seconds|out|own_regret)":' # the former came later
	} >"$2"
}
# An audit gives its report. Parameters in it are as Go prints structs, so names alone are compared.
audit() { # SIDE OUT WORK
	local code=0
	"$dir/$1/peerd" audit --dir "$3/none" --quick --seed "$seed" --json "${set[@]}" >"$3/report" 2>"$3/log" || code=$?
	if ! grep -q '"canaries"' "$3/report"; then
		tail -qn 3 "$3/report" "$3/log" >"$2.failed"
		return
	fi
	{
		echo "exit code $code"
		sed -E 's/("(learner|protocol)": "[a-z-]+) .*/\1",/' "$3/report"
	} >"$2"
}

ask() { curl -s -m 5 --unix-socket "$1/peerd.sock" "${@:3}" "http://peer$2"; }
post() { ask "$1" "$2" -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d "$3"; }
round() { ask "$1" /v1/status | sed -n 's/.*"round":\([0-9]*\).*/\1/p'; }
played() { [ "$(round "$1")" -ge "$2" ] 2>/dev/null; }
over() { played "$1" "$2" || ! kill -0 "$3" 2>/dev/null; } # a process that has ended plays no more
ready() { [ "$(ask "$1" /readyz -o /dev/null -w '%{http_code}')" = 200 ]; }
# within SECONDS COMMAND...
within() {
	local last=$((SECONDS + $1))
	until "${@:2}"; do
		[ $SECONDS -lt $last ] || return 1
		sleep .1
	done
}
# sites LINKS prints the names of the sites that are linked.
sites() { seq -f s%g $(($(grep -oE '[0-9]+' <<<"$1" | sort -n | tail -n 1) + 1)); }
# Every case has ports of its own, below those that the system hands out.
ports() { port=$((20000 + (100 * 10#$case + $$ % 80) % 12000)); }
# network WORK LINKS NAME EVERY START writes the network file into the folders of all sites.
network() {
	local s i=0
	{
		printf 'name: %s\nstart: %s\nevery: %s\npeers:\n' "$3" "$(date -u -d "$5" +%Y-%m-%dT%H:%M:%SZ)" "$4"
		for s in $(sites "$2"); do
			printf '  - name: %s\n    id: %s\n    addrs: [/ip4/127.0.0.1/tcp/%d]\n' "$s" "$(cat "$1/$s.id")" $((port + i))
			i=$((i + 1))
		done
		echo "links: $2"
	} >"$1/network.yaml"
	for s in $(sites "$2"); do cp "$1/network.yaml" "$1/$s/"; done
}

# Processes in lockstep give their traces. Every process has the seed of its place.
lockstep() { # SIDE OUT WORK LINKS ROUNDS
	local s i=0 wrong=''
	ports
	for s in $(sites "$4"); do
		mkdir "$3/$s"
		"$dir/$1/peerd" id --dir "$3/$s" --set mode=lockstep --set seed=$((100 * seed + i)) >"$3/$s.id"
		i=$((i + 1))
	done
	network "$3" "$4" lockstep 1s '1 minute ago'
	i=0 pids=()
	for s in $(sites "$4"); do
		"$dir/$1/peerd" run --dir "$3/$s" --trace "$3/$s/trace" "${set[@]}" --set seed=$((100 * seed + i)) \
			--set "listen=[/ip4/127.0.0.1/tcp/$((port + i))]" --set rounds.count="$5" >"$3/$s.log" 2>&1 &
		pids+=($!)
		i=$((i + 1))
	done
	i=0
	for s in $(sites "$4"); do
		within 60 over "$3/$s" "$5" "${pids[i]}"
		played "$3/$s" "$5" || wrong="$s: $(tail -n 2 "$3/$s.log")"
		i=$((i + 1))
	done
	kill "${pids[@]}" 2>/dev/null
	wait "${pids[@]}"
	pids=()
	if [ -n "$wrong" ]; then
		echo "$wrong" >"$2.failed"
		return
	fi
	for s in $(sites "$4"); do
		find "$3/$s/trace" -type f | sort | while read -r f; do
			echo "$s ${f##*/}"
			cat "$f"
		done
	done >"$2"
}

# Sites with applications run the earlier build; half are killed, the others end. Then all run this build: what was in a
# ledger is in it and verifies, rounds go on, earlier decisions are known and new ones answered.
live() { # OUT WORK LINKS DECIDERS
	local out=$1 work=$2 links=$3 s n i=0 features='' count
	bad() { [ -s "$out.failed" ] || echo "$1" >"$out.failed"; }
	begin() { # SIDE
		pids=()
		for s in $(sites "$links"); do
			"$dir/$1/peerd" run --dir "$work/$s" 2>>"$work/$s.log" &
			pids+=($!)
		done
		for s in $(sites "$links"); do within 30 ready "$work/$s" || bad "$s is not ready with build $1: $(tail -n 1 "$work/$s.log")"; done
	}
	decide() { # SITES PREFIX NUMBER
		local code
		for n in $(seq "$3"); do
			for s in $1; do
				code=$(post "$work/$s" /v1/decisions "{\"id\":\"$2$n\",\"subject\":\"$2$n\"$features}")
				[ "$code" = 200 ] || bad "$s answers decision $2$n with $code"
				[ $((n % 4)) != 0 ] || continue
				code=$(post "$work/$s" /v1/rewards "{\"id\":\"$2$n\",\"value\":0.$((n % 10))}")
				[ "$code" = 200 ] || bad "$s answers the reward of $2$n with $code"
			done
		done
	}
	[[ ${set[*]} != *learner.name=linucb* ]] || features=',"features":[[1,0],[0,1],[0.6,0.8]]'
	ports
	for s in $(sites "$links"); do
		"$dir/base/peerd" init --dir "$work/$s" --set "listen=[/ip4/127.0.0.1/tcp/$((port + i))]" "${set[@]}" >"$work/$s.log" 2>&1 || bad "$(tail -n 1 "$work/$s.log")"
		"$dir/base/peerd" id --dir "$work/$s" >"$work/$s.id"
		i=$((i + 1))
	done
	[ ! -e "$out.failed" ] || return
	network "$work" "$links" clinics 200ms '1 second ago'
	begin base
	decide "$4" early- 30
	sleep 5 # the window of the decisions ends
	decide "$4" later- 5
	i=0
	for s in "${pids[@]}"; do # a coordinator, which is the first, is killed
		if [ $((i % 2)) = 0 ]; then kill -9 "$s"; else kill "$s"; fi
		i=$((i + 1))
	done
	wait "${pids[@]}" 2>/dev/null
	for s in $(sites "$links"); do
		"$dir/base/peerd" ledger export --dir "$work/$s" -o "$work/$s.before" >/dev/null
		"$dir/now/peerd" ledger verify "$work/$s.before" >"$work/verified" 2>&1 || bad "the ledger of $s: $(tail -n 1 "$work/verified")"
	done
	begin now
	for s in $(sites "$links"); do eval "first_$s=$(round "$work/$s")"; done
	for s in $4; do
		[ "$(post "$work/$s" /v1/rewards '{"id":"later-4","value":1}')" != 404 ] || bad "$s has forgotten a decision"
	done
	decide "$4" again- 10
	for s in $(sites "$links"); do
		n=first_$s
		within 20 played "$work/$s" $((${!n:-1000000} + 35)) || bad "$s plays no rounds after ${!n}: $(tail -n 1 "$work/$s.log")"
	done
	kill "${pids[@]}"
	for s in "${pids[@]}"; do wait "$s" || bad "a site ends with exit code $?"; done
	pids=()
	for s in $(sites "$links"); do
		"$dir/now/peerd" ledger export --dir "$work/$s" -o "$work/$s.after" >/dev/null
		"$dir/base/peerd" ledger verify "$work/$s.after" >"$work/verified" 2>&1 || bad "the later ledger of $s: $(tail -n 1 "$work/verified")"
		count=$(($(wc -l <"$work/$s.before") - 1)) # the last line is the signature
		cmp -s <(head -n $count "$work/$s.before") <(head -n $count "$work/$s.after") || bad "the ledger of $s has other records than before"
	done
	for s in before after; do sites "$links" | sed "s|.*|$work/&.$s|" | xargs cat | wc -l; done | paste -sd' ' | sed 's/ / lines of ledgers, then /' >"$out"
	read -r n _ _ _ _ count <"$out"
	[ "$count" -gt "$n" ] || bad "no site releases anything more: $(cat "$out")"
}

# play SIDE OUT WORK LINE writes the result of a case to OUT, or the reason for having none to OUT.failed.
play() {
	local kind name rest set=() all
	read -r kind name rest <<<"$4"
	mkdir -p "$3/none" # commands refuse a folder that is not there
	mapfile -d '' -t all < <(words "$rest")
	case $kind in
	run)
		options < <(printf '%s\0' "${all[@]}")
		experiment "$1" "$2" "$3"
		;;
	file)
		options < <(printf '%s\0' "${all[@]}")
		experiment "$1" "$2" "$3" "$dir/$1/$name"
		;;
	audit)
		options < <(printf '%s\0' "${all[@]}")
		audit "$1" "$2" "$3"
		;;
	lockstep)
		options < <(printf '%s\0' "${all[@]:2}")
		lockstep "$1" "$2" "$3" "${all[@]:0:2}"
		;;
	live)
		options < <(printf '%s\0' "${all[@]:2}")
		live "$2" "$3" "${all[@]:0:2}"
		;;
	esac
	rm -rf "$3"
}
# compare FILE plays the case in a file on both sides, and prints how it went.
compare() {
	local line kind name out key before=$SECONDS
	case=${1##*/} pids=() seed=1
	trap '[ ${#pids[@]} = 0 ] || kill -9 "${pids[@]}"' EXIT
	line=$(cat "$1")
	read -r kind name _ <<<"$line"
	out=$dir/out/$case
	mkdir -p "$out"
	if [ "$kind" = live ]; then
		play now "$out/now" "$dir/w$case" "$line"
		if [ -e "$out/now.failed" ] || [ ! -s "$out/now" ]; then
			echo "DIFFERENT $kind $name: $(cat "$out/now.failed")"
		else
			echo "identical $kind $name: goes on; $(cat "$out/now"); $((SECONDS - before)) s"
		fi
		return
	fi
	key=$cache/$(words "$line" | sha256sum | cut -c1-32)
	if [ ! -e "$key" ]; then
		play base "$out/base" "$dir/b$case" "$line"
		if [ ! -s "$out/base" ]; then
			if grep -q 'PEERD_DATA is not set' "$out/base.failed"; then
				echo "skipped $kind $name: PEERD_DATA is not set"
			else
				echo "DIFFERENT $kind $name: no result of the earlier build: $(tail -n 3 "$out/base.failed")"
			fi
			return
		fi
		cp "$out/base" "$key.$case" && mv "$key.$case" "$key"
	fi
	play now "$out/now" "$dir/n$case" "$line"
	if [ ! -s "$out/now" ]; then
		echo "DIFFERENT $kind $name: no result of this build: $(tail -n 3 "$out/now.failed")"
	elif cmp -s "$key" "$out/now"; then
		echo "identical $kind $name: $(wc -l <"$out/now") lines, $((SECONDS - before)) s"
	else
		echo "DIFFERENT $kind $name: $(diff "$key" "$out/now" | grep -c '^>') of $(wc -l <"$out/now") lines, first"
		diff "$key" "$out/now" | cut -c1-300 | sed -n 's/^</  was/p; s/^>/  is /p' | awk '!seen[$1]++'
	fi
	rm -rf "$out"
}

n=0
while read -r line; do
	read -r kind name _ <<<"$line"
	[[ $kind = file || $kind = run || $kind = audit || $kind = lockstep || $kind = live ]] || continue
	grep -qE -- "$pattern" <<<"$kind $name" || continue
	if grep "^out $kind $name " "$table"; then continue; fi
	n=$((n + 1))
	echo "$line" >"$dir/cases/$(printf %03d $n)"
done <"$table"
[ $n -gt 0 ] || { echo "no case matches $pattern" >&2; exit 2; }

# It can fail: another seed is seen in the results of every kind that is compared.
case=999 pids=()
for kind in run audit lockstep; do
	line=$(grep -m 1 "^$kind " "$table")
	for seed in 1 2; do
		[ $kind != run ] || line+=" experiment.first_seed=$seed"
		play now "$dir/out/$kind$seed" "$dir/t" "$line" || true
	done
	if [ ! -s "$dir/out/${kind}1" ] || [ ! -s "$dir/out/${kind}2" ] || cmp -s "$dir/out/${kind}1" "$dir/out/${kind}2"; then
		echo "FAIL: another seed is not seen in $kind: $(cat "$dir/out/$kind"?.failed 2>&1)"
		exit 1
	fi
done
echo "another seed is seen in experiments, audits and traces"

export -f words options experiment audit ask post round played over ready within sites ports network lockstep live play compare
export dir table cache
printf '%s\0' "$dir"/cases/* | xargs -0 -P "$(nproc)" -n 1 bash -c 'set -fu; compare "$1"' - | tee "$dir/log"
count() { grep -c "^$1 " "$dir/log" || true; }
echo "$n cases: $(count identical) identical, $(count DIFFERENT) different, $(count skipped) skipped; $SECONDS s"
[ $(($(count identical) + $(count skipped))) = $n ]
