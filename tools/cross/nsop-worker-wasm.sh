#!/usr/bin/env bash
# Lets node run the worker for WebAssembly, which is nsop-worker.js beside this file. Of a process's
# files node gives it standard input and output alone: they become the pipes of the protocol.
set -euo pipefail
worker=$(dirname "$(realpath "$0")")/nsop-worker.js
# Where node can fetch, Emscripten's loader takes the program for an address of the web.
node=(node --no-experimental-fetch "$worker")
if [[ $# -eq 2 && $1 == --pipes && $2 =~ ^([0-9]+),([0-9]+)$ ]]; then
  exec "${node[@]}" --pipes 0,1 <&"${BASH_REMATCH[1]}" >&"${BASH_REMATCH[2]}"
fi
exec "${node[@]}" "$@"
