#!/usr/bin/env bash
# Builds a release of the checked-out commit: programs, archives, deb, rpm, bills of materials and SHA256SUMS, in bin/release. The same
# commit and Go release give the same bytes in any folder. Without a network, once the modules are in Go's cache. Ten minutes on two
# cores with empty caches; --help lists the flags.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
go build -C "$root/scripts/release" -o "$root/bin/make-release" .
exec "$root/bin/make-release" -from "$root" "$@"
