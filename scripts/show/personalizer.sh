#!/usr/bin/env bash
# An application of Azure Personalizer v1.0 against three real peers at ε = 1, with the request bodies of that
# service's documentation: learner linucb, whose features are hashes of names. Wanted: in the last tenth of the
# run 90 % of the choices are right. A minute; 20 seconds are too few.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bin
go build -o bin/peerd ./cmd/peerd
go build -o bin/personalizer ./scripts/personalizer
exec bin/personalizer "$@" -- configs/application.yaml --set 'arms=[first, second, third, fourth]' \
	--set learner.name=linucb --set learner.linucb.features=18 --set api.min_exposures=0 \
	--set privacy.mechanism=each-gaussian --set privacy.delta=0.000001 --set privacy.horizon=0 \
	--set protocol.name=batch --set protocol.batch.first=500 --set api.window=1s
