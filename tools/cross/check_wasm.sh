#!/usr/bin/env bash
# Compiles the worker for WebAssembly and compares its variants with the oracle; node runs it.
#
#   tools/cross/check_wasm.sh NSOP [ARGUMENT...]      NSOP: of this machine; ARGUMENT: of `nsop verify`
#
# Exit 1: a result is wrong or the protocol is broken; 5: packages are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
nsop=$1
shift
tools/cross/wasm_root.sh build/wasm-root
# Emscripten's tools need node's module acorn, which another node than Debian's looks for elsewhere.
export NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
TARGET=nsop-worker tools/build.sh wasm
[[ $# -gt 0 ]] || set -- --quick
"$nsop" --worker "$PWD/build/wasm/bin/nsop-worker" verify "$@"
