#!/usr/bin/env bash
# An application of Azure Personalizer v1.0 against three real peers, each behind the adapter of docs/examples/go/personalizer,
# and the calls of that service's own client for Node. Arguments go to the program: -seconds 60.
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
sdk=()
if command -v npm >/dev/null && (cd "$mod" && echo '{"private":true}' >package.json &&
	timeout 120 npm install --silent --no-audit --no-fund @azure/cognitiveservices-personalizer@2.0.1 @azure/ms-rest-azure-js@2.1.0 >npm.log 2>&1); then
	sdk=(-sdk "$mod")
else
	echo "the service's own client is not replayed: npm is not there, or cannot install it"
fi
bin/personalizer "${sdk[@]}" "$@" -- configs/application.yaml --set 'arms=[first, second, third, fourth]' --set learner.name=linucb \
	--set learner.linucb.features=18 --set api.min_exposures=0 --set privacy.mechanism=each-gaussian --set privacy.delta=0.000001 \
	--set privacy.horizon=0 --set protocol.name=batch --set protocol.batch.first=500 --set api.window=1s --set 'api.reward_range=[-1, 1]' --set api.default_reward=-1
