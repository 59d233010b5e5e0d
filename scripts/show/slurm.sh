#!/usr/bin/env bash
# Runs Slurm on this machine, all on loopback, and plays an experiment in 8 shards with it. One task of the array is killed;
# the same command then submits that one alone, and the merged rows equal the rows of a run in one go, byte for byte. Installs
# Debian's packages if they are missing. All that it starts it stops, also after an error or Ctrl-C.
# Usage: scripts/show/slurm.sh [scancel|kill] (how the task is killed; kill -9 without it). PEERD names a built program.
set -euo pipefail
cd "$(dirname "$0")/../.."
how=${1:-kill}
if ! command -v slurmctld slurmd munged sbatch >/dev/null; then
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null
fi
work=$(mktemp -d /tmp/slurm.XXXX)
out="$work/it's \$HOME %a" # a hostile name
stop() {
	trap - EXIT INT TERM
	if [ -e "$work/slurmctld.pid" ]; then
		scancel --me --quiet || true
		sleep 2 # until batch scripts have ended
	fi
	for d in slurmd slurmctld munged; do
		[ ! -s "$work/$d.pid" ] || kill "$(cat "$work/$d.pid")" 2>/dev/null || true
	done
	for _ in $(seq 50); do
		compgen -G "$work/*.pid" >/dev/null || break
		sleep .1
	done
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

peerd=${PEERD:-$work/peerd}
[ -n "${PEERD:-}" ] || go build -o "$peerd" ./cmd/peerd
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

chmod 711 "$work"
mkdir -m 700 "$work/key" "$work/state" "$work/spool"
mkdir -m 755 "$work/munge"
head -c 1024 /dev/urandom >"$work/key/munge.key"
chmod 400 "$work/key/munge.key"
munged --force --key-file="$work/key/munge.key" --socket="$work/munge/socket" --pid-file="$work/munged.pid" \
	--log-file="$work/key/log" --seed-file="$work/key/seed" 2>"$work/munged.err"
cat >"$work/slurm.conf" <<END
ClusterName=loopback
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(port)
SlurmdPort=$(port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerParameters=sched_interval=2,bf_interval=2
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld
slurmd
within() { # SECONDS COMMAND...
	local last=$((SECONDS + $1))
	until "${@:2}"; do
		if [ $SECONDS -ge $last ]; then
			echo "not within $1 s: ${*:2}" >&2
			tail -n 5 "$work"/*.log "$out"/log/* >&2 || true
			return 1
		fi
		sleep .3
	done
}
idle() { [ "$(sinfo -h -o %T)" = idle ]; }
within 30 idle
echo "Slurm $(sinfo --version | cut -d' ' -f2): one node, 8 tasks at once on $(nproc) processors"

settings=(configs/rows.yaml --set mode=lockstep --set seed=1 --set privacy.horizon=60000 --set rounds.count=60000
	--set experiment.seeds=8 --set 'experiment.cells=[{set: {privacy.epsilon: [1, 2, 4, 8]}}]')
submit() { "$peerd" experiment submit "${settings[@]}" --to slurm --shards 8 -o "$out" --sbatch oversubscribe; }
empty() { [ -z "$(squeue -h)" ]; }
begun() { [ -n "$(cat "$out/shards/5/cells/"*.jsonl 2>/dev/null)" ]; }
# process prints the process that plays shard 5.
process() { pgrep -f -- "--shard 5/8 .* -o $work/.*/shards/5\$"; }

submit
within 120 begun
case $how in
kill) kill -9 "$(process)" && echo "task 5 killed with kill -9" ;;
scancel) scancel "$(squeue -h -r -o '%F_%K %K' | awk '$2 == 5 { print $1 }')" && echo "task 5 killed with scancel" ;;
esac
echo "--- while others run"
submit | tee "$work/during"
grep -q '^submitted  job [0-9]* of shards 5$' "$work/during" || grep -q '^5 .*completing' "$work/during"
within 300 empty
echo "--- when the queue is empty"
submit | tee "$work/after"
if ! grep -q 'all is finished and merged' "$work/after"; then # the task was completing before
	grep -q '^submitted  job [0-9]* of shards 5$' "$work/after"
	within 300 empty
fi
cat "$out"/log/5.txt "$out/log/merge.txt"
"$peerd" experiment run "${settings[@]}" -o "$work/whole" >/dev/null 2>&1
cmp "$work/whole/rows.parquet" "$out/results/rows.parquet"
echo "rows.parquet of 8 tasks, one of them killed and submitted again alone, equals the file of a run in one go: $(sha256sum <"$work/whole/rows.parquet" | cut -c1-16)"
