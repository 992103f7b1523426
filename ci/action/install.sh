#!/usr/bin/env bash
# Installs nsop's Debian package: NSOP_DEB, a file or an address, whose SHA-256 NSOP_DEB_SHA256 may be
# checked; else one that is built here, of these sources, and kept in NSOP_PACKAGE_FOLDER. Where nsop is
# installed, as in an image of tools/package/Dockerfile, and no package is named, nothing is done.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${NSOP_PACKAGE_FOLDER:-$(mktemp -d)}
mkdir -p "$folder"
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo)
apt() { ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; }

if [[ -z ${NSOP_DEB:-} ]] && command -v nsop >/dev/null; then
  echo "install: nsop $(nsop --version) is installed"
  exit
fi
apt update
if [[ ${NSOP_DEB:-} == https://* ]]; then
  command -v curl >/dev/null || apt install -y --no-install-recommends curl ca-certificates
  deb=$folder/nsop.deb
  curl --fail --silent --show-error --location --retry 3 --output "$deb" "$NSOP_DEB"
elif [[ -n ${NSOP_DEB:-} ]]; then
  deb=$(realpath "$NSOP_DEB")
else
  debs=("$folder"/nsop_*.deb)
  if [[ ! -f ${debs[0]} ]]; then
    apt install -y --no-install-recommends make git ca-certificates
    make -C "$here/../.." package PACKAGES="$folder"
    debs=("$folder"/nsop_*.deb)
  fi
  deb=${debs[0]}
fi
if [[ -n ${NSOP_DEB_SHA256:-} ]]; then
  echo "$NSOP_DEB_SHA256  $deb" | sha256sum --check --status || {
    echo "install: $deb: its SHA-256 is not $NSOP_DEB_SHA256; it is not installed" >&2
    exit 4
  }
fi
apt install -y --no-install-recommends "$deb"
nsop --version
