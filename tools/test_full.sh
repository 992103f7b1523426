#!/usr/bin/env bash
# Every check that there is, one after the other: slow and fault-injection tests, the C++ tests under
# AddressSanitizer with UndefinedBehaviorSanitizer and under ThreadSanitizer, parsers under random
# texts, the worker of other processors under QEMU and node, and clang-tidy over all sources. Goes on
# after a failure; prints what each step took.
#
#   tools/test_full.sh [STEP...]          STEP: dev, asan, tsan, fuzz, arm, wasm, tidy (default: all, in order)
#
# What the steps print stays in build/test-full/STEP.log. Exit 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
logs=build/test-full
mkdir -p "$logs"
[[ $# -gt 0 ]] || set -- dev asan tsan fuzz arm wasm tidy

dev() { tools/build.sh dev -DNSOP_SKIP_TARGETS= && reports/nsop_report/site/browser/fetch_axe.sh && tools/test.sh dev --slow; }
asan() { tools/build.sh asan && tools/test.sh asan --slow --no-python; }
tsan() { tools/build.sh tsan && tools/test.sh tsan --slow --no-python; }
fuzz() { tools/build.sh fuzz && FUZZ_SECONDS=${FUZZ_SECONDS:-30} tools/fuzz.sh; }
arm() { tools/cross/check_arm.sh build/dev/bin/nsop; }
wasm() { tools/cross/check_wasm.sh build/dev/bin/nsop; }
tidy() { TIDY_LIMIT=${TIDY_LIMIT:-3600} tools/lint/tidy.sh; }

failed=()
begin=$SECONDS
for step in "$@"; do
  case $step in
    dev | asan | tsan | fuzz | arm | wasm | tidy) ;;
    *) echo "test-full: unknown step $step, expected dev, asan, tsan, fuzz, arm, wasm or tidy" >&2 && exit 2 ;;
  esac
  started=$SECONDS
  result=passed
  "$step" 2>&1 | tee "$logs/$step.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || { result=FAILED && failed+=("$step"); }
  echo "test-full: $step $result after $(((SECONDS - started) / 60)) min"
done

files=()
for preset in dev asan tsan; do
  [[ " $* " == *" $preset "* ]] && files+=("build/$preset/tests"/*.xml)
done
if [[ -n ${TESTS:-} && ${#files[@]} -gt 0 ]]; then # a part may have no test of that name
  mapfile -t files < <(grep -ls '<testcase' "${files[@]}" || echo "${files[0]}")
fi
[[ ${#files[@]} -eq 0 ]] || "$(tools/find_python.sh)" tools/test_counts.py "${files[@]}" ||
  failed+=(counts)
counted=()
for preset in dev asan tsan; do # one of them is enough: they run the same tests
  [[ ${#counted[@]} -gt 0 || " $* " != *" $preset "* ]] || counted=("build/$preset/tests"/*.xml)
done
[[ " $* " != *" fuzz "* ]] || counted+=(build/fuzz/found)
complete=()
[[ -n ${TESTS:-} || " $* " != *" dev "* || " $* " != *" fuzz "* ]] || complete=(--complete)
[[ ${#counted[@]} -eq 0 ]] || "$(tools/find_python.sh)" tools/fault_counts.py \
  ${complete[@]+"${complete[@]}"} "${counted[@]}" || failed+=(fault_counts)
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "test-full: failed: ${failed[*]}; $(((SECONDS - begin) / 60)) min"
  exit 1
fi
echo "test-full: everything passed; $(((SECONDS - begin) / 60)) min"
