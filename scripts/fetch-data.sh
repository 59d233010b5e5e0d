#!/usr/bin/env bash
# Downloads real data from its publishers, for experiments with worlds replay and ranking and for
# the tests that read PEERD_DATA:
#
#   Diabetes 130-US Hospitals for Years 1999-2008, UCI Machine Learning
#   Repository, dataset 296, CC BY 4.0. Cite Strack et al., BioMed Research
#   International 2014.
#   Learning to rank, the lambdarank example of LightGBM (Microsoft), MIT: a
#   stand-in for MSLR-WEB10K, which may not be passed on.
#
# Usage: scripts/fetch-data.sh
#        eval "$(scripts/fetch-data.sh)"    # and set PEERD_DATA
#
# The zip is kept as ${PEERD_DATA:-data}/diabetes/diabetic_data.csv.zip. Only the
# sha256 of diabetic_data.csv inside is checked: publishers re-pack zips. A file
# with the right checksum is kept. Needs curl or wget, and unzip or python3.
#
# PEERD_DIABETES_URL and PEERD_LTR_URL replace the addresses: a mirror, or a local file:///... (curl
# only). The script was tested against a local file and a local HTTP server; the
# machine it was written on could not reach the publisher.
set -euo pipefail

url=${PEERD_DIABETES_URL:-https://archive.ics.uci.edu/static/public/296/diabetes+130-us+hospitals+for+years+1999-2008.zip}
sha256=0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97

ltr_url=${PEERD_LTR_URL:-https://raw.githubusercontent.com/microsoft/LightGBM/master/examples/lambdarank}
ltr_files=(
	"rank.train a0c7201c89120879c14a5059e091f441cbf2a29b8aaef363885ccb1a530448df"
	"rank.train.query 40cb5fef637229311cd30fab13cb7fb633b023e86a87ff04ec55db420143d6af"
)

say() { printf 'fetch-data: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# csv writes diabetic_data.csv of zip $1 to stdout, whatever folder it is in.
csv() {
	if has unzip; then
		local names name
		names=$(unzip -Z1 "$1" 2>/dev/null) || return 1
		name=$(grep -m1 -E '(^|/)diabetic_data\.csv$' <<<"$names") || return 1
		unzip -p "$1" "$name"
	else
		python3 - "$1" <<'PYTHON'
import shutil, sys, zipfile
try:
    z = zipfile.ZipFile(sys.argv[1])
    name = next(n for n in z.namelist() if n.split("/")[-1] == "diabetic_data.csv")
    shutil.copyfileobj(z.open(name), sys.stdout.buffer)
except (OSError, zipfile.BadZipFile, StopIteration):
    sys.exit(1)
PYTHON
	fi
}

# digest prints the sha256 of its input.
digest() {
	if has sha256sum; then
		sha256sum
	elif has shasum; then
		shasum -a 256
	else
		python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
	fi | cut -d ' ' -f 1
}

download() {
	if has curl; then
		curl --fail --location --silent --show-error --connect-timeout 30 --retry 2 --output "$2" "$1"
	else
		wget --quiet --timeout=30 --tries=3 --output-document="$2" "$1"
	fi
}

has curl || has wget || die "needs curl or wget; neither is here"
has unzip || has python3 || die "needs unzip or python3; neither is here"
has sha256sum || has shasum || has python3 || die "needs sha256sum, shasum or python3; none is here"

data=${PEERD_DATA:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/data}
mkdir -p "$data/diabetes" || die "cannot make $data/diabetes"
data=$(cd "$data" && pwd)
zip=$data/diabetes/diabetic_data.csv.zip

if [ -e "$zip" ] && [ "$(csv "$zip" | digest)" = "$sha256" ]; then
	say "$zip exists, checksum right"
else
	# A temporary name in the same folder: the last step is a rename, so that a
	# reader finds the whole file or none.
	part=$(mktemp "$data/diabetes/.fetch.XXXXXX") || die "cannot write to $data/diabetes"
	trap 'rm -f "$part"' EXIT
	say "downloading $url"
	download "$url" "$part" || die "cannot download $url: offline, or has it moved? nothing was changed"
	csv "$part" >/dev/null || die "the answer of $url is not a zip with a diabetic_data.csv; nothing was changed"
	got=$(csv "$part" | digest)
	[ "$got" = "$sha256" ] || die "diabetic_data.csv has sha256 $got, want $sha256; nothing was changed"
	chmod 644 "$part" # mktemp makes files that only the owner can read
	mv -f "$part" "$zip"
	say "$zip is new, checksum right"
fi

# fetch_ltr gets ltr/$1 with sha256 $2.
fetch_ltr() {
	local file=$data/ltr/$1 got
	if [ -e "$file" ] && [ "$(digest <"$file")" = "$2" ]; then
		say "$file exists, checksum right"
		return
	fi
	part=$(mktemp "$data/ltr/.fetch.XXXXXX") || die "cannot write to $data/ltr"
	trap 'rm -f "$part"' EXIT
	say "downloading $ltr_url/$1"
	download "$ltr_url/$1" "$part" || die "cannot download $ltr_url/$1: offline, or has it moved? nothing was changed"
	got=$(digest <"$part")
	[ "$got" = "$2" ] || die "$1 has sha256 $got, want $2; nothing was changed"
	chmod 644 "$part"
	mv -f "$part" "$file"
	say "$file is new, checksum right"
}
mkdir -p "$data/ltr" || die "cannot make $data/ltr"
for line in "${ltr_files[@]}"; do
	# shellcheck disable=SC2086 # a name and a checksum
	fetch_ltr $line
done
printf 'export PEERD_DATA=%q\n' "$data"
