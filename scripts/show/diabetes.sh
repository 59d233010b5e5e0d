#!/usr/bin/env bash
# Three hospital processes on the real data, then 20 simulated seeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PEERD_DATA:?set PEERD_DATA to the folder that holds the data; scripts/fetch-data.sh downloads it}"
exec scripts/testnet.sh -c configs/diabetes.yaml "$@"
