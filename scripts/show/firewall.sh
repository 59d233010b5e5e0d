#!/usr/bin/env bash
# Three sites, of which the first has an address and two are behind firewalls that let nothing in and masquerade: each in a network
# namespace of its own, with the defaults and the commands of docs/network.md. Fails if a site's first release is later than 20 s after its
# start, if a private address stands in the document, if a link is down, or if a site behind a firewall that is started again does not release.
# PEERD names a program to run instead of this commit's; NAT=random has the firewalls draw ports.
set -euo pipefail
for tool in ip nft curl; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: network namespaces need root"; exit 0; }
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
if [ -n "${PEERD:-}" ]; then cp "$PEERD" "$dir/peerd"; else go build -o "$dir/peerd" ./cmd/peerd; fi
cd "$dir"
bridge "fw$$" a=192.0.2.1/24 nb=192.0.2.20/24 nc=192.0.2.30/24
# behind SITE NETWORK puts a site behind the firewall n<site>.
behind() {
	local wall=$net-n$1 site=$net-$1
	ip netns add "$site"
	namespaces+=("$site")
	ip -n "$wall" link add inside type veth peer name eth0 netns "$site"
	ip -n "$wall" addr add "$2.1/24" dev inside
	ip -n "$wall" link set inside up
	ip -n "$site" addr add "$2.2/24" dev eth0
	ip -n "$site" link set eth0 up
	ip -n "$site" link set lo up
	ip -n "$site" route add default via "$2.1"
	ip netns exec "$wall" sysctl -qw net.ipv4.ip_forward=1
	ip netns exec "$wall" nft -f - <<-END
		table ip nat {
			chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade ${NAT:-}; }
		}
		table ip wall {
			chain through { type filter hook forward priority 0; policy drop; iifname "inside" accept; ct state established,related accept; }
			chain in { type filter hook input priority 0; policy drop; iifname "inside" accept; ct state established,related accept; }
		}
	END
}
behind b 10.0.2
behind c 10.0.3
# opens SITE: it may release, and plays rounds.
opens() { ask "$1" /v1/status | grep '"blocked_reason":""' | grep -q '"round":[1-9]'; }
# released SITE MORE-THAN: it has released more rewards than that.
released() { [ "$(ask "$1" /v1/status | sed -n 's/.*"released":\([0-9]*\).*/\1/p')" -gt "$2" ]; }
declare -A began
# times WHAT SITE starts a site, and prints the seconds until it may release.
times() {
	local took
	began[$2]=$(date +%s%3N)
	start "$2"
	for _ in $(seq 200); do
		if opens "$2" 2>/dev/null; then
			took=$(($(date +%s%3N) - began[$2]))
			printf '%s start: %s may release after %d.%01d s\n' "$1" "$2" $((took / 1000)) $((took % 1000 / 100))
			[ $took -lt 20000 ] || fail "$2: more than 20 s"
			return
		fi
		sleep 0.1
	done
	fail "$2 may not release 20 s after its start: $(ask "$2" /v1/status | sed 's/.*"blocked_reason":"\([^"]*\)".*/\1/')"
}
./peerd init --dir a --set 'arms=[red, green, blue]' --set privacy.epsilon=1 >/dev/null 2>&1
./peerd network new --dir a --name clinics --peer a --addr /ip4/192.0.2.1/tcp/8471 >/dev/null
times first a
for s in b c; do
	token=$(./peerd network invite $s --dir a)
	$(at $s) ./peerd join "$token" --yes --dir $s >/dev/null 2>"$s.joined"
	times first $s
done
within 20 linked a b c
echo "$(./peerd network show --dir a | grep ^links), all up; flags: 0 beside names, folders, a's address, and --yes in place of answers; files edited: 0"
if ./peerd network show --dir a | grep 10\\.0\\.; then fail "a private address is in the document"; fi
# By default a reward counts a minute after its decision.
for s in a b c; do play $s; done
for s in a b c; do
	within 200 released $s 0
	echo "first reward released by $s $((($(date +%s%3N) - began[$s]) / 1000)) s after its start"
done
# A start is blocked until others have told what they remember of what was released.
for s in b c; do
	eval "kill \$application_$s"
	end $s
	times second $s
done
within 20 linked a b c
for s in a b c; do verify $s; done
