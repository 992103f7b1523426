#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy over all C++ of ours, tests included. Sources that are
# compiled several at a time are checked several at a time: most of what it takes is headers.
#
#   tools/lint/tidy.sh [PATTERN]       PATTERN: a regular expression of absolute paths, each source
#                                      on its own
#
# At most TIDY_LIMIT seconds (default 1800).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/tidy
if [[ $# -gt 0 ]]; then
  pattern=$1 unity=OFF
else
  pattern="^$PWD/((harness|kernels|layers|reference)/|$build/.*/Unity/)" unity=ON
fi
# NSOP_FUZZ for harness/fuzz; nothing is compiled, so the compiler needn't have libFuzzer.
cmake --preset dev -B "$build" -DNSOP_UNITY=$unity -DNSOP_UNITY_BATCH=64 -DNSOP_PRECOMPILED=OFF -DNSOP_FUZZ=ON >/dev/null
cmake --build "$build" --target nsop_build_info >/dev/null # a header that is written by the build
sed -i 's/ -fschedule-insns\| -fsched-pressure//g' "$build/compile_commands.json" # only GCC has them

# Highway compiles a kernel once per target; one of them shows what there is to see. Reserved names
# are no error of the compiler, which no NOLINT could take back, but one of clang-tidy.
status=0
timeout "${TIDY_LIMIT:-1800}" run-clang-tidy-14 -quiet -p "$build" -j "${JOBS:-$(nproc)}" \
  -header-filter '/(harness|kernels|layers|reference)/[^:]*\.(h|cpp)$' \
  -checks=-bugprone-suspicious-include \
  -extra-arg=-DHWY_COMPILE_ONLY_STATIC -extra-arg=-Wno-unknown-warning-option \
  -extra-arg=-Wno-ignored-optimization-argument -extra-arg=-Wno-unknown-pragmas \
  -extra-arg=-Wreserved-identifier -extra-arg=-Wreserved-macro-identifier \
  -extra-arg=-Wno-error=reserved-identifier -extra-arg=-Wno-error=reserved-macro-identifier \
  "$pattern" >"$build/tidy.log" 2>&1 || status=$?
sed -i "s/\x1b\[[0-9;]*m//g" "$build/tidy.log"
grep -E -A 4 ': (warning|error):' "$build/tidy.log" | grep -v '^clang-tidy-14 ' || true
if [[ $status -eq 124 ]]; then
  echo "tidy: stopped after ${TIDY_LIMIT:-1800} s (TIDY_LIMIT)" >&2
fi
# Sources that are compiled, by themselves or as a part of another one. Without a library its sources
# are not.
compiled() {
  sed -n 's/^ *"file": "\(.*\)"$/\1/p' "$build/compile_commands.json"
  find "$build" -path '*/Unity/*.cxx' -exec sed -n 's/^#include "\(.*\.cpp\)"$/\1/p' {} +
}
git ls-files harness kernels layers reference | grep '\.cpp$' | sed "s|^|$PWD/|" | sort |
  comm -23 - <(compiled | sort) | sed 's/^/tidy: not compiled on this machine, so not seen: /'
echo "tidy: $(grep -c '^clang-tidy-14 ' "$build/tidy.log") translation units of $build"
exit "$status"
