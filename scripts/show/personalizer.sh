#!/usr/bin/env bash
# An application of Azure Personalizer v1.0 against three real peers, each behind the adapter of docs/examples/go/personalizer.
# Arguments go to the program: -seconds 60.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
mkdir -p bin
mod=$(mktemp -d)
trap 'rm -rf "$mod"' EXIT
cp docs/examples/go/personalizer/go.mod go.sum "$mod"
go build -o bin/peerd ./cmd/peerd
go build -o bin/personalizer ./scripts/personalizer
(cd docs/examples/go/personalizer && go build -mod=mod -modfile="$mod/go.mod" -o "$root/bin/personalizer-adapter" .)
bin/personalizer "$@" -- configs/application.yaml --set 'arms=[first, second, third, fourth]' --set learner.name=linucb \
	--set learner.linucb.features=18 --set api.min_exposures=0 --set privacy.mechanism=each-gaussian --set privacy.delta=0.000001 \
	--set privacy.horizon=0 --set protocol.name=batch --set protocol.batch.first=500 --set api.window=1s
