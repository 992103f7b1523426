#!/usr/bin/env bash
# Everything that goes wrong on purpose: verbs that write on a disk that fails at each of their calls,
# killed and interrupted runs, rogue workers, damaged databases and files, several writers, and parsers
# under random texts. Needs build/dev and build/fuzz.
#
#   tools/test_faults.sh             FUZZ_SECONDS: of each parser (60)
#
# Prints the counts of all of it. Exit 1 if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
results=build/dev/faults
rm -rf "$results"
mkdir -p "$results"
export NSOP_BUILD_DIR=$PWD/build/dev NSOP_TEST_FULL=1 NSOP_TEST_FAULTS=1
status=0
ctest --test-dir build/dev --output-on-failure --output-junit "$PWD/$results/ctest.xml" \
  --parallel "${JOBS:-$(nproc)}" --no-tests=error \
  -R 'Faults|Scratch|Removal|Unfinished|Verify|Exchange|InvokeTest|RunnerTest|Alerts|Schema' \
  </dev/null || status=1
interpreter=$(tools/find_python.sh pytest hypothesis scipy jsonschema) || exit 1
"$interpreter" -m pytest -q -s --junitxml="$results/pytest.xml" harness/cli/tests/test_disk_faults.py \
  harness/cli/tests/test_interrupts.py harness/cli/tests/test_writers.py </dev/null || status=1
tools/fuzz.sh || status=1
"$interpreter" tools/test_counts.py "$results"/*.xml || status=1
exit "$status"
