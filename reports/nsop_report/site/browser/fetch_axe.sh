#!/usr/bin/env bash
# Puts axe-core, which checks pages for accessibility, into build/axe for the tests of this folder:
# from npm's registry, its SHA-256 checked, never committed. Nothing is fetched twice.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
version=4.14.1
sha256=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
[[ ! -f build/axe/package/axe.min.js ]] || exit 0
mkdir -p build/axe
cd build/axe
python3 - "https://registry.npmjs.org/axe-core/-/axe-core-$version.tgz" "axe-core-$version.tgz" <<'END'
import sys, urllib.request

urllib.request.urlretrieve(*sys.argv[1:])
END
echo "$sha256  axe-core-$version.tgz" | sha256sum --check --quiet
tar -xzf "axe-core-$version.tgz" package/axe.min.js
echo "build/axe: axe-core $version"
