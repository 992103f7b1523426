#!/usr/bin/env bash
# Everything that goes wrong on purpose: verbs that write on a disk that fails at each of their calls,
# killed and interrupted runs, rogue workers, damaged databases and files, several writers, and parsers
# under random texts. Needs build/dev and build/fuzz.
#
#   tools/test_faults.sh             FUZZ_SECONDS: of each parser (60)
#
# Of C++ every test of the harness runs, so that none is forgotten; of Python those marked `faults`
# (tools/test_house.py says which must be). Prints the counts of all of it. Exit 1 if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
results=build/dev/faults
rm -rf "$results"
mkdir -p "$results"
export NSOP_BUILD_DIR=$PWD/build/dev NSOP_TEST_FULL=1 NSOP_TEST_FAULTS=1
status=0
for folder in build/dev/harness/*/; do
  grep -q "^include(" "$folder/CTestTestfile.cmake" || continue
  ctest --test-dir "$folder" --output-on-failure --parallel "${JOBS:-$(nproc)}" --no-tests=error \
    --output-junit "$PWD/$results/ctest-$(basename "$folder").xml" </dev/null || status=1
done
interpreter=$(tools/find_python.sh pytest hypothesis scipy jsonschema) || exit 1
"$interpreter" -m pytest -q -m faults -o junit_logging=system-out --junitxml="$results/pytest.xml" \
  harness </dev/null || status=1
tools/fuzz.sh || status=1
"$interpreter" tools/test_counts.py "$results"/*.xml || status=1
"$interpreter" tools/fault_counts.py --complete "$results"/*.xml build/fuzz/found || status=1
exit "$status"
