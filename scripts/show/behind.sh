#!/usr/bin/env bash
# Lists the modules that a program, its tests or the scripts build with and of which a newer version is served. Those in
# scripts/show/held.txt wait for others, each with a reason; the rest make it fail. A minute, and the module proxy.
#
#	scripts/show.sh behind
set -euo pipefail
cd "$(dirname "$0")/../.."
built=$(mktemp)
trap 'rm -f "$built"' EXIT
go list -deps -test -f '{{with .Module}}{{.Path}}{{end}}' ./... | sort -u >"$built"
behind=$(go list -m -e -u -f '{{with .Update}}{{$.Path}} {{$.Version}} {{.Version}}{{end}}' all | grep . | sort | join "$built" - || true)
fail=0
while read -r module has newest; do
	[ -n "$module" ] || continue
	reason=$(sed -n "s|^$module $newest: ||p" scripts/show/held.txt)
	echo "$module $has, $newest is served${reason:+: $reason}"
	[ -n "$reason" ] || fail=1
done <<<"$behind"
[ $fail = 0 ] && echo "no other module is behind"
