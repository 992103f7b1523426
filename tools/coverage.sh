#!/usr/bin/env bash
# Runs the tests of build/coverage and prints the line coverage of our own sources.
#
#   tools/coverage.sh          MINIMUM=90: fails under so many per cent
#
# Counted: C++ of harness, kernels, layers and reference without tests and their helpers, and Python
# of the reports.
# A line of a kernel counts as covered if any ISA target of this machine ran it; lines that only
# another machine's target can run stand between GCOVR_EXCL_START and GCOVR_EXCL_STOP.
set -euo pipefail
cd "$(dirname "$0")/.."
minimum=${MINIMUM:-90}
build=build/coverage

find "$build" -name '*.gcda' -delete
tools/test.sh coverage
gcovr --root . --object-directory "$build" --gcov-ignore-parse-errors \
  --filter 'harness/' --filter 'kernels/' --filter 'layers/' --filter 'reference/' \
  --exclude '.*_test\.cpp' --exclude '.*/(test_|fixture)[^/]*$' --exclude '.*_probe\.cpp' \
  --exclude-unreachable-branches \
  --html-details "$build/coverage.html" --txt --fail-under-line "$minimum" "$build"
echo "coverage: at least $minimum % of the C++ lines; details in $build/coverage.html"

"$(tools/find_python.sh pytest pytest_cov)" -m pytest -q -m "not slow" reports \
  --cov=reports/nsop_report --cov-report=term --cov-fail-under="$minimum"
