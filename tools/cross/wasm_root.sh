#!/usr/bin/env bash
# Unpacks into a folder what the worker for WebAssembly is compiled with: Debian's sources of the
# libraries that are compiled anew, and headers of the others, apart from those of this machine's C
# library. Needs no root.
#
#   tools/cross/wasm_root.sh FOLDER
#
# Exit 5: they can't be fetched. What is there already is taken as it is.
set -euo pipefail
folder=$(realpath -m "$1")
sources=(benchmark highway)
headers=(fmt nlohmann toml++)
if [[ -f $folder/complete && $(<"$folder/complete") == "${sources[*]} ${headers[*]}" ]]; then
  echo "wasm_root: $folder has all"
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"/apt/lists/partial "$folder"/apt/cache/archives/partial "$folder/include"
# The archives that this machine has, asked for sources.
# shellcheck disable=SC2016 # apt's own variables
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' |
  sort -u | sed 's/^/deb-src /' >"$folder/apt/sources.list"
: >"$folder/apt/status"
apt() {
  apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" \
    -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
    -o Dir::State::status="$folder/apt/status" "$@" >&2
}
cd "$folder"
{ apt update && apt source --download-only "${sources[@]}"; } || {
  echo "wasm_root: the sources of ${sources[*]} can't be fetched (see above); is the network up?" >&2
  exit 5
}
for source in "${sources[@]}"; do
  mkdir "$source"
  tar -xf "${source}"_*.orig.tar.* -C "$source" --strip-components=1
done
for header in "${headers[@]}"; do cp -r "/usr/include/$header" include/; done
rm -rf apt ./*.tar.* ./*.dsc
echo "${sources[*]} ${headers[*]}" >complete
echo "wasm_root: unpacked ${sources[*]} and headers of ${headers[*]} into $folder"
