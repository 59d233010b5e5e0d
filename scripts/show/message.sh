#!/usr/bin/env bash
# Round trips of a message of 1 kB between two neighbours, from Send to Inbox, beside a
# bare libp2p stream (Noise, yamux) and bare TCP on the same loopback, in turn within one
# run. Wanted: in the middle one of five runs, a median of up to 1.5 times the stream's.
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./gossip -run '^$' -bench BesideABareStream -benchtime 20000x -count "${1:-5}" | awk '
	/^Benchmark/ {
		for (i = 3; i < NF; i += 2) v[$(i + 1)] = $i
		if (!runs++) printf "%6s  %8s %8s  %8s %8s  %8s %8s  %s\n%6s  %8s %8s  %8s %8s  %8s %8s  %s\n",
			"bytes", "peerd", "", "stream", "", "tcp", "", "peerd/stream",
			"", "p50 us", "p99 us", "p50 us", "p99 us", "p50 us", "p99 us", "p50"
		printf "%6d  %8.1f %8.1f  %8.1f %8.1f  %8.1f %8.1f  %.2f\n", v["bytes"],
			v["us-p50-peerd"], v["us-p99-peerd"], v["us-p50-stream"], v["us-p99-stream"],
			v["us-p50-tcp"], v["us-p99-tcp"], times[runs] = v["times"]
	}
	/FAIL/ { print }
	END {
		for (i = 1; i <= runs; i++) {
			less = 0
			for (j = 1; j <= runs; j++) less += times[j] < times[i] || times[j] == times[i] && j < i
			if (less == int((runs - 1) / 2)) middle = times[i]
		}
		printf "%d runs, the middle one %.2f times the bare stream, wanted up to 1.5\n", runs, middle
		exit runs == 0 || middle > 1.5
	}'
