#!/usr/bin/env bash
# Unpacks Debian's arm64 libraries that the worker needs into a folder, without another architecture
# on this machine: with apt's lists and cache in that folder. Needs no root.
#
#   tools/cross/arm_root.sh FOLDER
#
# Exit 5: they can't be fetched. What is there already is taken as it is.
set -euo pipefail
folder=$(realpath -m "$1")
packages=(libfmt-dev libfmt9 nlohmann-json3-dev libtomlplusplus-dev libtomlplusplus3 libssl-dev libssl3
  libbenchmark-dev libbenchmark1debian libhwy-dev libhwy1)
if [[ -f $folder/complete && $(<"$folder/complete") == "${packages[*]}" ]]; then
  echo "arm_root: $folder has all ${#packages[@]} packages"
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"/apt/lists/partial "$folder"/apt/cache/archives/partial "$folder"/packages
: >"$folder/apt/status"
apt() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Acquire::Retries=3 \
    -o APT::Sandbox::User="$(id -un)" -o Dir::State::Lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt/cache" -o Dir::State::status="$folder/apt/status" "$@" >&2
}
cd "$folder/packages"
{ apt update && apt download "${packages[@]}"; } || {
  echo "arm_root: the packages of arm64 can't be fetched (see above); is the network up?" >&2
  exit 5
}
for package in *.deb; do dpkg -x "$package" "$folder"; done
rm -r "$folder/apt" "$folder/packages"
echo "${packages[*]}" >"$folder/complete"
echo "arm_root: unpacked ${#packages[@]} packages into $folder"
