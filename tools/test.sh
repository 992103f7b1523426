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
export MPLCONFIGDIR=$PWD/build/matplotlib
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

status=0
runner=()
[[ $preset != tsan ]] || runner=(tools/no_aslr.sh)
ctest_selection=(-LE slow)
pytest_selection=(-m "not slow")
if [[ $slow == yes ]]; then
  export NSOP_TEST_FULL=1
  ctest_selection=()
  pytest_selection=()
fi
if [[ $preset =~ ^(asan|tsan)$ ]]; then # whole programs (nsop_test); they choose among their tests
  export GTEST_FILTER="${TESTS:+*$TESTS*}-Disassembly*" # what these add is no instruction of a kernel
else
  [[ $preset != coverage ]] || ctest_selection+=(-E '^Disassembly')
  [[ -z ${TESTS:-} ]] || ctest_selection+=(-R "$TESTS")
fi
[[ -z ${TESTS:-} ]] || pytest_selection+=(-k "$TESTS")

${runner[@]+"${runner[@]}"} ctest --test-dir "$build" --output-on-failure \
  --parallel "${JOBS:-$(nproc)}" --output-junit "$PWD/$results/ctest.xml" \
  ${ctest_selection[@]+"${ctest_selection[@]}"} </dev/null || status=1
files=("$results/ctest.xml")
for part in "$results"/*.part_*.xml; do # under a sanitizer: the tests of a program
  [[ ! -f $part ]] || files+=("$part")
done

run_pytest() {
  local name=$1
  shift
  local code=0
  "$interpreter" -m pytest -q -o junit_logging=system-out \
    --junitxml="$results/$name.xml" \
    ${pytest_selection[@]+"${pytest_selection[@]}"} "$@" </dev/null || code=$?
  [[ $code == 0 || ($code == 5 && -n ${TESTS:-}) ]] # 5: no test has the word in its name
}

# Parts at once: the tests of the gate, documents, suites, verbs and failing disks mostly wait for
# workers, those of pages for nothing.
gate=(harness/cli/tests/test_gate*.py)
suites=(harness/cli/tests/test_suites.py) # every test of it is slow
faults=(harness/cli/tests/test_disk_faults.py)
cli=(harness/cli/tests/test_cli.py)
docs=(tools/test_docs.py)
pages=(reports)
folders=(harness/judge harness/stats layers reference tools)
# shellcheck disable=SC2034 # each is used by its name
beside=("${folders[@]}" --ignore="${docs[0]}")
names=(gate cli docs faults pages beside)
[[ $slow == no ]] || names=(suites "${names[@]}")
if [[ $python == yes ]]; then
  interpreter=$(tools/find_python.sh pytest hypothesis scipy jsonschema) || status=1
  parts=()
  trap 'kill "${parts[@]}" 2>/dev/null || true' EXIT
  for name in "${names[@]}"; do
    declare -n paths=$name
    files+=("$results/pytest-$name.xml")
    run_pytest "pytest-$name" "${paths[@]}" >"$results/pytest-$name.log" 2>&1 &
    parts+=($!)
  done
  mapfile -t others < <(
    printf -- '--ignore-glob=%s*\n' "${folders[@]}" "${pages[@]}" "${gate[@]}" "${suites[@]}" "${cli[@]}" "${faults[@]}"
  )
  files+=("$results/pytest.xml")
  run_pytest pytest "${others[@]}" || status=1
  for part in "${parts[@]}"; do
    wait "$part" || status=1
  done
  for name in "${names[@]}"; do
    cat "$results/pytest-$name.log"
  done
fi
if [[ -n ${TESTS:-} ]]; then # a part may have no test of that name; all may not
  mapfile -t files < <(grep -ls '<testcase' "${files[@]}" || echo "${files[0]}")
fi
"$(tools/find_python.sh)" tools/test_counts.py "${files[@]}" || status=1
exit "$status"
