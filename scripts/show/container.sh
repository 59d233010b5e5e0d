#!/usr/bin/env bash
# Three sites in containers: the image is built twice, with one id, and three containers of it run with a read-only root
# and without rights, each in a network namespace of its own. One begins a network and invites two, which join by token;
# the first runs as another user than the image's, and the third has a volume as Kubernetes hands it over. It fails if
# a peer does not become healthy, if learning is not shared, if a stop takes more than three seconds or does not end with
# code 0, if a restart lacks what was there, or if a ledger does not verify. It prints seconds. Needs root, buildah, podman,
# crun, iproute2 and curl, and is skipped without them. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in buildah podman crun ip curl unshare; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo 'skipped: network namespaces need root'; exit 0; }
# crun wants cgroups of version 2 alone, also where it uses none.
if [ -z "${INSIDE:-}" ]; then
	INSIDE=yes exec unshare --mount --propagation private "$0" "$@"
fi
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
	umount -R /sys/fs/cgroup
	mount -t cgroup2 none /sys/fs/cgroup
fi
source scripts/show/sites.bash
go build -o "$dir/visitors" ./scripts/visitors
# Images, containers and volumes live in $dir.
cat >"$dir/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$dir/storage"
runroot = "$dir/run"
END
cat >"$dir/containers.conf" <<END
[containers]
default_ulimits = []
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "crun"
tmp_dir = "$dir/run/libpod"
END
# remove ends the containers before sites.bash removes what they run in.
remove() {
	podman rm --all --force --time 3 >/dev/null 2>&1 || true
	cleanup
}
trap remove EXIT
export CONTAINERS_STORAGE_CONF=$dir/storage.conf CONTAINERS_CONF=$dir/containers.conf
seconds() { echo "$(($(date +%s%N) / 1000000 - $1))" | sed 's/...$/.&/; s/^\./0./'; }
now() { echo $(($(date +%s%N) / 1000000)); }

echo '== the image'
clock=$(now)
first=$(deploy/container/build.sh localhost/peerd:first "$dir/first.tar" 2>"$dir/build.err")
echo "built in $(seconds "$clock") s"
second=$(deploy/container/build.sh localhost/peerd:first "$dir/second.tar" 2>>"$dir/build.err")
[ "$first" = "$second" ] && cmp "$dir/first.tar" "$dir/second.tar" || fail "two builds: $first and $second"
echo "twice the image $first, $(stat -c %s "$dir/first.tar") bytes"

cd "$dir"
bridge pc$$ a=10.78.0.1/24 b=10.78.0.2/24 c=10.78.0.3/24
# contain SITE OPTION... IMAGE ARGUMENT... runs a container of the site.
contain() {
	local s=$1 as=()
	case $s in
	a) as=(--user 1000:1000 --volume a:/var/lib/peerd) ;;
	b) as=(--volume b:/var/lib/peerd) ;;
	c) as=(--group-add 65532 --volume "$dir/volume-c:/var/lib/peerd") ;;
	esac
	podman run "${as[@]}" --network "ns:/run/netns/$net-$s" --read-only --read-only-tmpfs=false --cap-drop all \
		--security-opt no-new-privileges --cgroups disabled --ulimit nofile=8192:8192 --ulimit nproc=1024:1024 "${@:2}"
}
once() { contain "$1" --rm --no-healthcheck localhost/peerd:first "${@:2}"; }
# A machine without systemd has nothing that runs health checks by the clock, which podman says each time; this script asks for them.
begin() { contain "$1" --detach --name "$1" localhost/peerd:first >/dev/null 2>>"$1.err"; }
inside() { podman exec "$1" peerd "${@:2}"; }
healthy() { podman healthcheck run "$1" && [ "$(podman inspect --format '{{.State.Health.Status}}' "$1")" = healthy ]; }
shared() {
	local s
	for s in a b c; do ask "$s" /v1/arms | grep -q '"borrowed_sites":[1-9]' || return 1; done
}
records() { inside "$1" ledger export -o - | wc -l; }
finish() { # SITE: stops it as platforms do
	local clock took
	clock=$(now)
	podman stop --time 10 "$1" >/dev/null 2>>"$1.err"
	took=$(seconds "$clock")
	echo "$1 stopped in $took s with code $(podman inspect --format '{{.State.ExitCode}}' "$1")"
	[ "$(podman inspect --format '{{.State.ExitCode}}' "$1")" = 0 ] && [ "${took%.*}" -lt 3 ] || fail "$1: $(podman logs --tail 20 "$1" 2>&1)"
}
podman volume create a >/dev/null
podman volume create b >/dev/null
for s in a b; do ln -s "storage/volumes/$s/_data/peer" $s; done
mkdir -p volume-c/lost+found # what the kubelet makes with fsGroup: 65532
chmod 700 volume-c/lost+found
chown root:65532 volume-c
chmod 2775 volume-c
ln -s volume-c/peer c

echo '== three containers'
clock=$(now)
once a init --set arms=red,green,blue --set privacy.epsilon=1 --set api.window=5s >/dev/null
once a network new --name clinics --peer hospital-a --addr /ip4/10.78.0.1/tcp/8471 >/dev/null
begin a
until_ok healthy a
start=$(inside a network show | sed -n 's/^rounds of .* from //p')
for s in b c; do
	inside a network invite "hospital-$s" >token # it is in no list of processes
	chmod 644 token
	contain $s --rm --no-healthcheck --volume "$dir/token:/run/token:ro" localhost/peerd:first join @/run/token --yes --once 2>/dev/null >/dev/null
	once $s join @/run/token --yes --once >/dev/null # as before each start; the token is gone
	begin $s
done
for s in a b c; do until_ok healthy $s; done
echo "$(seconds "$clock") s after the first command three peers are healthy"
for s in a b c; do until_ok inside $s health --ready; done
echo "$(seconds "$clock") s: ready"
for s in a b c; do
	./visitors -dir $s -name $s -rate 20 -start "$start" -every 1s -pays red=.3,green=.5,blue=.65 >$s.json 2>$s.err &
	pids+=($!)
	eval "visitors_$s=$!"
done
within 120 shared
echo "$(seconds "$clock") s: estimates of each site rest on releases of neighbours"
inside c status | sed -n '1,3p'
for s in a b c; do
	[[ "$(stat -Lc %a $s)" = *700 ]] || fail "$s has mode $(stat -Lc %a $s)"
	printf '%s runs as user %s\n' $s "$(stat -Lc %u:%g $s)"
done

echo '== a peer whose neighbours are away is healthy, and one that is stopped is not'
for s in a b c; do
	eval "p=\$visitors_$s"
	kill -TERM "$p"
	wait "$p" || true
done
had=$(records a)
for s in b c a; do finish $s; done
podman start a >/dev/null 2>&1
until_ok healthy a
inside a health
[ "$(records a)" -ge "$had" ] || fail "a had $had records and has $(records a)"
podman healthcheck run b >/dev/null 2>&1 && fail 'b is stopped and healthy'
for s in b c; do podman start $s >/dev/null 2>&1; done
clock=$(now)
for s in a b c; do until_ok inside $s health --ready; done
until_ok linked a b c
echo "restarted, $(seconds "$clock") s until all are ready; a goes on from $had records of its ledger"
for s in a b c; do
	inside $s ledger export -o - >$s.jsonl
	contain $s --rm --no-healthcheck --interactive localhost/peerd:first ledger verify - <$s.jsonl >$s.verified || fail "$s: $(cat $s.verified)"
	echo "$s: its ledger of $(wc -l <$s.jsonl) records verifies"
done
inside a backup -o /var/lib/peerd/peer.tgz
podman cp a:/var/lib/peerd/peer.tgz .
tar -tzf peer.tgz peer/identity.key >/dev/null || fail 'no key in the backup'
for s in a b c; do finish $s; done
echo ok
