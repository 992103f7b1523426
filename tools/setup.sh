#!/usr/bin/env bash
# Installs the Debian packages that nsop needs and that this machine lacks; leaves the rest alone.
#
#   tools/setup.sh [--dry-run] [LIST...]      LIST: core, test, check, package, arm, wasm, device, peers (default: core test)
#
# Lists are files of tools/packages. `peers` is what the peers' own files name: the lines
# `# Debian: PACKAGE...` of reference/peers/*/peer.cmake and of the Python workers.
# Exit 0: everything is there. 2: unknown list. 5: packages are missing and can't be installed.
# NSOP_SETUP=off skips it, for systems whose packages have other names.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "setup: $2" >&2
  exit "$1"
}

dry_run=no
lists=()
for argument in "$@"; do
  case $argument in
    --dry-run) dry_run=yes ;;
    *)
      [[ $argument == peers || -f $here/packages/$argument.txt ]] ||
        fail 2 "unknown list '$argument', expected core, test, check, package, arm, wasm, device or peers"
      lists+=("$argument")
      ;;
  esac
done
[[ ${#lists[@]} -gt 0 ]] || lists=(core test)

if [[ ${NSOP_SETUP:-on} == off ]]; then
  echo "setup: skipped (NSOP_SETUP=off)"
  exit 0
fi

# Packages of a list, one a line, comments behind them.
packages_of() {
  local line package
  if [[ $1 != peers ]]; then
    grep -v '^#' "$here/packages/$1.txt"
    return
  fi
  while read -r line; do
    for package in ${line#"# Debian:"}; do echo "$package"; done
  done < <(grep -h '^# Debian:' "$here"/../reference/peers/*/peer.cmake \
    "$here"/../reference/peers/python/*_worker.py)
}

wanted=()
for list in "${lists[@]}"; do
  while read -r package _; do
    [[ -z $package || $package == \#* ]] || wanted+=("$package")
  done < <(packages_of "$list")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail 5 "no apt here; install the like of: ${wanted[*]} and set NSOP_SETUP=off"
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qx "installed $package" <<<"$installed" || missing+=("$package")
done

if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#wanted[@]} packages (${lists[*]}) are installed"
  exit 0
fi
echo "setup: ${#missing[@]} of ${#wanted[@]} packages (${lists[*]}) are missing: ${missing[*]}"
[[ $dry_run == no ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null ||
    fail 5 "neither root nor sudo; as root run: apt-get install --no-install-recommends ${missing[*]}"
  as_root=(sudo)
  [[ -t 0 ]] || as_root+=(-n)
fi

# A lock that another apt holds is waited for; so is a mirror that stumbles.
apt() {
  local command=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive
    apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@")
  echo "+ ${command[*]}"
  "${command[@]}" </dev/null
}

# apt waits for the lock of dpkg, but not for the one of the package lists.
for attempt in 1 2 3 4 5 6; do
  apt update && break
  [[ $attempt -lt 6 ]] || fail 5 "apt-get update failed; is the network up? (see above)"
  echo "setup: apt-get update failed, again in 10 s ($attempt of 5)"
  sleep 10
done
apt install -y --no-install-recommends --no-remove "${missing[@]}" ||
  fail 5 "apt-get install failed (see above); nothing else was changed"
echo "setup: installed ${#missing[@]} packages"
