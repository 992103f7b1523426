#!/usr/bin/env bash
# clang-tidy over the C++ sources with the checks of .clang-tidy, each on its own; headers are seen
# through them. Tests are left out: GoogleTest alone would double the time.
#
#   tools/lint/tidy.sh [PATTERN]       PATTERN: a regular expression of absolute paths
#
# At most TIDY_LIMIT seconds (default 1800).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/tidy
pattern=${1:-^$PWD/(harness|kernels|layers|reference)/(?!.*_test\.cpp)}
cmake --preset dev -B "$build" -DNSOP_UNITY=OFF >/dev/null

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
