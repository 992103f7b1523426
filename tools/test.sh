#!/usr/bin/env bash
# Runs the tests of a built preset: CTest, then pytest; prints the counts of both.
#
#   tools/test.sh PRESET [--slow] [--no-python]         JOBS=N: run N C++ tests at a time
#                                                       TESTS=WORD: only those with it in their names
#
#   --slow       also the slow and fault-injection tests
#   --no-python  CTest only (for further builds of the same sources)
#
# Results stay in build/PRESET/tests as JUnit XML. Exit 1 if a test failed or none ran.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
slow=no
python=yes
for argument in "$@"; do
  case $argument in
    --slow) slow=yes ;;
    --no-python) python=no ;;
    *) echo "test: unknown argument $argument" >&2 && exit 2 ;;
  esac
done

build=build/$preset
results=$build/tests
rm -rf "$results"
mkdir -p "$results"
export NSOP_BUILD_DIR=$PWD/$build
export NSOP_TEST_RESULTS=$PWD/$results # a copy of the checkout may run the same programs
export MPLCONFIGDIR=$PWD/build/matplotlib
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

status=0
runner=()
[[ $preset != tsan ]] || runner=(tools/no_aslr.sh)
skipped=single # its programs run whole
pytest_selection=(-m "not slow")
if [[ $slow == yes ]]; then
  export NSOP_TEST_FULL=1
  pytest_selection=()
else
  skipped+="|slow"
fi
programs=()
if [[ -n ${TESTS:-} ]]; then
  programs=(-R "\\.part_|$TESTS") # a program chooses among its tests
  pytest_selection+=(-k "$TESTS")
fi
unwanted=
[[ ! $preset =~ ^(asan|tsan|coverage)$ ]] || unwanted="-Disassembly*" # what these add is no instruction of a kernel
[[ -z ${TESTS:-}$unwanted ]] || export GTEST_FILTER="${TESTS:+*$TESTS*}$unwanted"

run_ctest() {
  ${runner[@]+"${runner[@]}"} ctest --test-dir "$build" --output-on-failure -C whole -LE "$skipped" \
    --test-output-size-passed 1000000 \
    --parallel "${JOBS:-$(nproc)}" --output-junit "$PWD/$results/ctest.xml" \
    ${programs[@]+"${programs[@]}"} </dev/null
}

run_pytest() {
  local name=$1
  shift
  local code=0
  "$interpreter" -m pytest -q -o junit_logging=system-out \
    --junitxml="$results/$name.xml" \
    ${pytest_selection[@]+"${pytest_selection[@]}"} "$@" </dev/null || code=$?
  [[ $code == 0 || ($code == 5 && -n ${TESTS:-}) ]] # 5: no test has the word in its name
}

# Those of the harness mostly wait for workers: more at once than there are processors, the longest
# files first. Those of pages read every report before they begin, so they are one process. Few tests
# are one process, too: each of several would look for them among all.
waiting=(harness/cli/tests harness/library tools harness layers reference)
longest=(tools/test_package.py harness/cli/tests/test_suites.py tools/test_scaffolds.py tools/test_docs.py
  harness/cli/tests/test_disk_faults.py harness/cli/tests/test_gate*.py)
[[ $python == no ]] || interpreter=$(tools/find_python.sh pytest hypothesis scipy jsonschema xdist) || status=1
at_once=$(($(nproc) * 2))
[[ -z ${TESTS:-} ]] || at_once=0
if [[ $python == yes ]]; then
  parts=()
  trap 'kill "${parts[@]}" 2>/dev/null || true' EXIT
  run_pytest pytest -n "$at_once" --dist loadfile "${longest[@]}" "${waiting[@]}" >"$results/pytest.log" 2>&1 &
  parts+=($!)
  run_pytest pytest-pages reports >"$results/pytest-pages.log" 2>&1 &
  parts+=($!)
fi
run_ctest || status=1
files=("$results/ctest.xml" "$results"/*.part_*.xml)
if [[ $python == yes ]]; then
  for part in "${parts[@]}"; do
    wait "$part" || status=1
  done
  cat "$results/pytest-pages.log" "$results/pytest.log"
  files+=("$results/pytest-pages.xml" "$results/pytest.xml")
fi
if [[ -n ${TESTS:-} ]]; then # a part may have no test of that name; all may not
  mapfile -t files < <(grep -ls '<testcase' "${files[@]}" || echo "${files[0]}")
fi
"$(tools/find_python.sh)" tools/test_counts.py "${files[@]}" || status=1
exit "$status"
