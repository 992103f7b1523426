#!/usr/bin/env bash
# Puts axe-core, which checks pages for accessibility, into build/axe for the tests of this folder:
# from npm, its SHA-256 checked, never committed.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
version=4.14.1
sha256=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
mkdir -p build/axe
cd build/axe
npm pack --silent "axe-core@$version" >/dev/null
echo "$sha256  axe-core-$version.tgz" | sha256sum --check --quiet
tar -xzf "axe-core-$version.tgz" package/axe.min.js
echo "build/axe: axe-core $version"
