#!/usr/bin/env bash
# Sites with the same decisions and other rewards, compared byte for byte on a clock of the test's;
# and the same comparison for sites with one fault after another built in.
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./node/site -count=1 -v -run 'TestHistoriesLookTheSame|TestAClaimEndsTheRound|TestOnlyWhatIsDurableIsShown|TestADecisionIsShownOnceItIsDurable|TestAFullDiskShowsNoReports|TestALowDiskKeepsWhatWasPromised|TestANameIsUnderOneLeaf'
go test ./node/api -count=1 -v -run TestReportsAreInNoMetric
go test -tags auditbug ./node/site -count=1 -v -run TestSeededFaultsAreSeen
