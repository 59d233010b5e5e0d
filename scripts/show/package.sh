#!/usr/bin/env bash
# Packages as an administrator has them: a release of HEAD is built twice, in two folders with other homes, masks and time zones, once with
# an empty cache and once without a network; its files must be equal. lintian, rpm and systemd judge the packages. The deb is installed on
# Debian with a running systemd, where a newcomer's commands lead to a first learned decision; then it is upgraded under load, reloaded,
# hung, removed and purged; the rpm is installed, upgraded and erased beside it. It fails if files differ, a tag of lintian is new, a
# decision or a reward is refused or lost, the first learned decision takes over a minute, or the peer's folder is not kept.
# Arguments: -platform P,... for the release, and a folder with Debian 12 as debootstrap makes it, which is left alone; without it one is
# made, from a mirror. Needs root, systemd-container, lintian, rpm and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
platform=linux/amd64
if [ "${1:-}" = -platform ]; then
	platform=$2
	shift 2
fi
[ "$(id -u)" = 0 ] || fail "an installation needs root"
leader='' nspawn=''
trap 'leave; cleanup' EXIT
leave() {
	if [ -n "$leader" ]; then kill -TERM "$nspawn" || true; fi
	[ -z "$nspawn" ] || wait "$nspawn" || true
	umount -q -R "$dir/m" || true
	leader='' nspawn=''
}

echo "== the release twice"
here=$PWD
modules=$(go env GOMODCACHE) sums=$(go env GONOSUMDB)
# release FOLDER CACHE MASK ZONE: builds the release of a clone, without a network.
release() (
	umask "$3"
	export HOME=$dir/home GOCACHE=${2:-$cache} GOMODCACHE=$modules GONOSUMDB=$sums GOPROXY=off GOTOOLCHAIN=local TZ=$4
	[ -d "$1" ] || git clone -q "$here" "$1"
	begin=$SECONDS
	"$1/scripts/release.sh" -platform "$platform" -o "$1.release" | sed 's/^/   /'
	echo "   $((SECONDS - begin)) s"
)
cache=$(go env GOCACHE)
release "$dir/one" '' 022 UTC
release "$dir/two folders/below" "$dir/cache" 077 Pacific/Apia
rm -rf "$dir/cache"
diff <(cd "$dir/one.release" && sha256sum ./*) <(cd "$dir/two folders/below.release" && sha256sum ./*) || fail "the two differ"
(cd "$dir/one.release" && sha256sum --quiet -c SHA256SUMS)
echo "$(wc -l <"$dir/one.release/SHA256SUMS") files are equal; SHA256SUMS has them all"
go test -C scripts/release -count=1 . -args "$dir/one.release"
(cd "$dir/one" && git -c user.name=next -c user.email=next@localhost commit -q --allow-empty -m next --date=now)
mv "$dir/one.release" "$dir/first"
release "$dir/one" '' 022 UTC >/dev/null # the next version
mv "$dir/one.release" "$dir/next"

echo "== what others say of the packages"
# What lintian may say: peerd is one static program, its scripts are for dpkg and rpm, and it is in no archive of Debian.
known='statically-linked-binary|maintainer-script-calls-systemctl|initial-upload-closes-no-bugs'
{ lintian "$dir"/first/*_amd64.deb 2>/dev/null || true; } | sed 's/ \[.*//' | sort | uniq -c | tee "$dir/lintian"
if grep -vE "$known" "$dir/lintian"; then fail "lintian says something new"; fi
rpm -K "$dir"/first/*.x86_64.rpm | sed "s|$dir/first/||" | tee "$dir/rpm"
grep -q 'digests OK' "$dir/rpm" || fail "rpm does not accept its package"
# rpmlint knows no static programs of Go, SPDX names or manual pages in the form of gzip, and packages are not signed.
rpmlint "$dir"/first/*.x86_64.rpm 2>/dev/null | sed -n 's/^[^ ]*: \([EW]: [^ ]*\).*/\1/p' | sort | uniq -c || true

echo "== Debian with systemd"
root=${1:-$dir/root}
[ -d "$root" ] || debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,sudo,curl bookworm "$root" >"$dir/debootstrap.log" ||
	fail "$(tail -n 5 "$dir/debootstrap.log")"
mkdir "$dir/m" "$dir/up" "$dir/work"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$dir/up,workdir=$dir/work" "$dir/m"
mkdir "$dir/m/packages"
for v in first next; do
	cp "$dir/$v"/*_amd64.deb "$dir/m/packages/$v.deb"
	cp "$dir/$v"/*.x86_64.rpm "$dir/m/packages/$v.rpm"
done
echo 127.0.0.1 localhost "$(hostname)" >"$dir/m/etc/hosts"
systemd-nspawn --boot --register=no --keep-unit --private-network -M "peerd$$" -D "$dir/m" </dev/null >"$dir/boot.log" 2>&1 &
nspawn=$!
# inside COMMAND... runs it in the container.
inside() { nsenter -t "$leader" -m -u -i -n -p --root --wd=/ -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
booted() {
	leader=$(pgrep -P "$nspawn" | sed -n 1p)
	[ -n "$leader" ] && inside systemctl is-system-running | grep -Eq 'running|degraded'
}
within 60 booted
inside systemctl --version | sed -n 1p

echo "== a newcomer, with the deb alone"
commands=0 begin=$(date +%s%N)
# types COMMAND...: what a person types.
types() {
	commands=$((commands + 1))
	printf '   # %s\n' "$*"
	inside "$@" >"$dir/answer" 2>&1 || fail "$(cat "$dir/answer")"
}
seconds() { echo $((($(date +%s%N) - begin) / 100000000)) | sed 's/.$/.&/'; }
types dpkg -i /packages/first.deb
if inside systemctl -q is-active peerd; then fail "it started by itself"; fi
types sudo -u peerd peerd init --dir /var/lib/peerd --set arms=red,green,blue --set privacy.epsilon=1 --set api.window=10s
types sudo -u peerd peerd network new --dir /var/lib/peerd --name clinics --peer hospital-a --addr /ip4/127.0.0.1/tcp/8471
types systemctl enable --now peerd
echo "the service is ready after $(seconds) s"
from() { inside sudo -u peerd curl -s --unix-socket /var/lib/peerd/peerd.sock "http://peer$1" -H 'Content-Type: application/json' -d "$2"; }
learned='' n=0
while [ -z "$learned" ] && [ $n -lt 200 ]; do
	n=$((n + 1))
	from /v1/decisions "{\"id\":\"first-$n\",\"subject\":\"first-$n\"}" >"$dir/decision"
	from /v1/rewards "{\"id\":\"first-$n\",\"value\":$((n % 2))}" >/dev/null
	learned=$(grep -o '"source":"learned"' "$dir/decision" || true)
	sleep 0.2
done
first=$(seconds)
echo "$commands commands and $first s from dpkg -i to the first learned decision, which is decision $n"
[ -n "$learned" ] && [ "${first%.*}" -lt 60 ] || fail "no learned decision within a minute"
runs() { inside systemctl show -P "$1" peerd; }
[ "$(runs User)" = peerd ] && [ "$(inside stat -c '%U %a' /var/lib/peerd)" = 'peerd 700' ] || fail "user or folder"
if inside peerd network invite hospital-b --dir /var/lib/peerd >"$dir/root.out" 2>&1; then fail "root wrote to the user's folder"; fi
sed 's/^/as root: /' "$dir/root.out"
inside runuser -u peerd -- peerd network invite hospital-b --dir /var/lib/peerd >/dev/null
inside systemd-analyze verify --man=no /usr/lib/systemd/system/peerd.service || fail "the unit"
inside systemd-analyze security --no-pager peerd.service | sed -n 's/^.*Overall/Overall/p'
inside systemctl reload peerd

echo "== an upgrade under load"
go build -o "$dir/visitors" ./scripts/visitors
start=$(inside sudo -u peerd peerd network show --dir /var/lib/peerd | sed -n 's/^rounds of .* from //p')
"$dir/visitors" -dir "$dir/m/var/lib/peerd" -name visit -rate 50 -start "$start" -every 1s -pays red=.3,green=.5,blue=.65 >"$dir/load.json" 2>"$dir/load.err" &
load=$!
pids+=("$load")
sleep 10
pid=$(runs MainPID)
inside dpkg -i /packages/next.deb >"$dir/answer" 2>&1 || fail "$(cat "$dir/answer")"
restarted() { [ "$(runs MainPID)" != "$pid" ] && [ "$(runs ActiveState)" = active ]; }
within 30 restarted
inside journalctl -u peerd --no-pager | grep -q 'Deactivated successfully' || fail "it did not end cleanly"
sleep 10
kill -TERM "$load"
wait "$load" || fail "$(cat "$dir/load.json" "$dir/load.err")"
cat "$dir/load.json"
sleep 12 # the last windows
inside sudo -u peerd peerd decisions export --dir /var/lib/peerd --format jsonl -o /var/lib/peerd/all.jsonl >/dev/null 2>&1
acknowledged=$(sed -n 's/.*"rewards":\([0-9]*\).*/\1/p' "$dir/load.json")
kept=$(grep '"id":"visit-' "$dir/m/var/lib/peerd/all.jsonl" | grep -c '"reported":true')
echo "$acknowledged rewards were acknowledged, $kept are kept"
[ "$acknowledged" = "$kept" ] || fail "some are lost"

echo "== the peer hangs"
inside mkdir -p /run/systemd/system/peerd.service.d
printf '[Service]\nWatchdogSec=4\n' | inside tee /run/systemd/system/peerd.service.d/watchdog.conf >/dev/null
inside systemctl daemon-reload
inside systemctl restart peerd
pid=$(runs MainPID)
inside kill -STOP "$pid"
hung=$SECONDS
within 40 restarted
echo "stopped with SIGSTOP, killed by the watchdog and running again after $((SECONDS - hung)) s (WatchdogSec=4)"

echo "== removed and purged"
inside dpkg -r peerd 2>&1 | tail -n 1
[ "$(runs ActiveState)" = inactive ] && [ ! -e "$dir/m/usr/bin/peerd" ] || fail "something is left"
inside dpkg -P peerd 2>&1 | tail -n 1
[ -s "$dir/m/var/lib/peerd/identity.key" ] || fail "the peer's folder is gone"

echo "== the rpm"
# red OPTIONS... runs rpm with its database in the container, whose scripts run there; dependencies are Debian's.
mount -t proc proc "$dir/m/proc"
red() {
	rpm --root "$dir/m" --nodeps "$@" 2>&1 | sed '/^rpm: /d' | tee "$dir/red"
	if grep -q failed "$dir/red"; then fail "a script of the rpm"; fi
}
red -i "$dir"/first/*.x86_64.rpm
[ "$(stat -c %a "$dir/m/var/lib/peerd")" = 700 ]
red -U "$dir"/next/*.x86_64.rpm
"$dir/m/usr/bin/peerd" version | sed -n 1p
red -e peerd
[ ! -e "$dir/m/usr/bin/peerd" ] && [ -s "$dir/m/var/lib/peerd/identity.key" ] || fail "the rpm leaves the program, or takes the folder"
