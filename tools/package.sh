#!/usr/bin/env bash
# Makes the Debian packages of what is checked out: nsop and libnsop-dev, of the release build.
#
#   tools/package.sh [FOLDER [CMAKE_ARGUMENT...]]      FOLDER: where they go (default build/package)
#
# The same commit gives the same bytes, wherever and whenever it is built on one release of Debian.
# SOURCE_DATE_EPOCH: the time in them (default: that of the commit).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:-build/package}")
[[ $# -eq 0 ]] || shift
umask 022
export LC_ALL=C
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)
fi
export SOURCE_DATE_EPOCH
# As Debian has it; a build without packages installs to lib.
TARGET=nsop_package tools/build.sh release -DNSOP_TESTS=OFF -DNSOP_PACKAGE=ON \
  -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" "$@"
staged=build/release/cpack
rm -rf "$staged"
cpack --config build/release/CPackConfig.cmake -G DEB -B "$staged" >"build/release/cpack.log" 2>&1 || {
  cat build/release/cpack.log >&2
  exit 5
}
mkdir -p "$folder"
rm -f "$folder"/nsop_*.deb "$folder"/libnsop-dev_*.deb
mv "$staged"/*.deb "$folder"
rm -rf "$staged"
sha256sum "$folder"/*.deb
