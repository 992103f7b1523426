#!/usr/bin/env bash
# clang-tidy over the C++ sources of build/dev with the checks of .clang-tidy; headers are seen
# through them. Tests are left out: GoogleTest alone would double the time.
#
#   tools/lint/tidy.sh [PATTERN]       PATTERN: a regular expression of absolute paths
#
# Needs a configured build/dev. At most TIDY_LIMIT seconds (default 1800).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${TIDY_BUILD:-build/dev}
pattern=${1:-^$PWD/(harness|kernels|layers|reference)/(?!.*_test\.cpp)}
if [[ ! -f $build/compile_commands.json ]]; then
  echo "tidy: $build/compile_commands.json is missing; run: make dev" >&2
  exit 2
fi

# Highway compiles a kernel once per target; one of them shows what there is to see.
status=0
timeout "${TIDY_LIMIT:-1800}" run-clang-tidy-14 -quiet -p "$build" -j "${JOBS:-$(nproc)}" \
  -extra-arg=-DHWY_COMPILE_ONLY_STATIC -extra-arg=-Wno-unknown-warning-option \
  -extra-arg=-Wno-ignored-optimization-argument \
  "$pattern" >"$build/tidy.log" 2>&1 || status=$?
sed -i "s/\x1b\[[0-9;]*m//g" "$build/tidy.log"
grep -E -A 4 ': (warning|error):' "$build/tidy.log" | grep -v '^clang-tidy-14 ' || true
if [[ $status -eq 124 ]]; then
  echo "tidy: stopped after ${TIDY_LIMIT:-1800} s (TIDY_LIMIT)" >&2
fi
exit "$status"
