#!/usr/bin/env bash
# 1,000 random histories of a changing network: peers join, leave, move and get new keys while they crash before
# and after they keep what they know, and are cut off from each other. No two documents of one version are
# believed anywhere, no signer shows two votes in one ballot, and all peers end on one version. Then,
# with every protocol whose peers all have arms: a site whose network changes while it runs, with crashes
# before and after, chooses, draws, sends and records what a site does that is stopped and started for
# every change, bit for bit, so nothing is drawn or released twice.
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./node/network -count=1 -timeout 2h -v -run '^TestHistories$' -histories "${PEERD_HISTORIES:-1000}"
exec go test ./node/site -count=10 -timeout 2h -run '^TestNewMembershipIsARestart$'
