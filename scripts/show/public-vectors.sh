#!/usr/bin/env bash
# On the instance of figure 3(a) of paper 002 (100 silos, 100 actions of 10 numbers each, 10,000 rounds, 20 seeds), with
# public vectors, a silo loses at most 20, 12 and 8 at ε = 0.2, 1 and 5, and no run loses linearly; then that an audit of such
# peers passes, and that what a site shows follows from no reward. About 10 minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 go test ./cmd/peerd -count=1 -v -timeout 120m -run 'TestPublicVectorsAtScale'
go test ./node/lab/audit -count=1 -v -run 'TestPublicVectorsLeaveRewardsPrivate'
go test ./node/site -count=1 -v -run 'TestHistoriesLookTheSame/public_vectors'
