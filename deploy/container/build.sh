#!/usr/bin/env bash
# Builds the image of the commit that is checked out, without a network or a daemon: needs buildah, and Go unless PROGRAM is
# given. Two builds of a commit have the same id. GOARCH=arm64 builds for another processor. An archive is what
# `podman load` and `docker load` read.
# Usage: deploy/container/build.sh [TAG [ARCHIVE [PROGRAM]]]
set -euo pipefail
umask 022
tag=${1:-localhost/peerd:latest} archive=${2:+$(realpath "$2")} program=${3:+$(realpath "$3")}
cd "$(dirname "$0")/../.."
arch=${GOARCH:-$(go env GOARCH)}
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
mkdir -p "$context"/root/{usr/bin,usr/share/licenses/peerd,var/lib}
mkdir -m 1777 "$context/root/var/lib/peerd"
if [ -z "$program" ]; then
	program=$context/peerd
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=true -ldflags='-s -w -buildid=' -o "$program" ./cmd/peerd
fi
install -m 0755 "$program" "$context/root/usr/bin/peerd"
install -m 0644 LICENSE "$context/root/usr/share/licenses/peerd/LICENSE"
buildah() { command buildah --storage-driver "${STORAGE_DRIVER:-vfs}" "$@"; }
buildah build --quiet --isolation chroot --format docker --arch "$arch" --identity-label=false \
	--timestamp "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" --label org.opencontainers.image.revision="$(git rev-parse HEAD)" \
	-f deploy/container/Containerfile -t "$tag" "$context"
if [ -n "$archive" ]; then
	rm -f "$archive"
	buildah push --quiet "$tag" "docker-archive:$archive:$tag"
fi
