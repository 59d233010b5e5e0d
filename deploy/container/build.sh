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
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=true -tags=release -ldflags='-s -w -buildid=' -o "$program" ./cmd/peerd
fi
install -m 0755 "$program" "$context/root/usr/bin/peerd"
install -m 0644 LICENSE "$context/root/usr/share/licenses/peerd/LICENSE"
buildah() { command buildah --storage-driver "${STORAGE_DRIVER:-vfs}" "$@"; }
made=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
raw=$(buildah build --quiet --isolation chroot --format docker --arch "$arch" --identity-label=false --timestamp "$made" \
	--label org.opencontainers.image.revision="$(git rev-parse HEAD)" -f deploy/container/Containerfile "$context")

# The format names the container in which the image was made, which is another one each time. Without it the image has an id
# that depends on its contents alone.
buildah push --quiet "$raw" "docker-archive:$context/raw.tar"
buildah rmi "$raw" >/dev/null
mkdir "$context/image"
tar -xf "$context/raw.tar" -C "$context/image" --wildcards '*.json' '*.tar' --exclude '*/*'
cd "$context/image"
sed -E 's/"container":"[0-9a-f]+",//; s/"Hostname":"[0-9a-f]+"/"Hostname":""/g' "$raw.json" >config
rm "$raw.json"
id=$(sha256sum config | cut -d' ' -f1)
mv config "$id.json"
printf '[{"Config":"%s.json","RepoTags":["%s"],"Layers":["%s"]}]' "$id" "$tag" "$(echo *.tar)" >manifest.json
archive=${archive:-$context/image.tar}
tar --format=ustar --sort=name --mtime="@$made" --owner=0 --group=0 --numeric-owner --mode=0644 -cf "$archive" -- *
cd /
buildah pull --quiet "docker-archive:$archive"
