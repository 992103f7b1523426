#!/usr/bin/env bash
# Feeds every parser of texts of unknown origin with mutations of harness/fuzz/corpus (libFuzzer,
# AddressSanitizer, UndefinedBehaviorSanitizer).
#
#   tools/fuzz.sh [PARSER...]        FUZZ_SECONDS=60 each; two at a time
#
# Needs the preset `fuzz`. What is found stays in build/fuzz/found, a file per input that broke one.
# Prints the inputs that each parser was given. Exit 1 if one broke.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/fuzz/bin/nsop-fuzz
seconds=${FUZZ_SECONDS:-60}
found=build/fuzz/found
rm -rf "$found"
mkdir -p "$found"
[[ $# -gt 0 ]] || mapfile -t parsers < <(NSOP_FUZZ=list "$program")
[[ $# -eq 0 ]] || parsers=("$@")

fuzz() {
  local parser=$1 code=0
  mkdir -p "build/fuzz/corpus/$parser"
  NSOP_FUZZ=$parser "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$found/$parser-" "build/fuzz/corpus/$parser" \
    "harness/fuzz/corpus/$parser" >"$found/$parser.log" 2>&1 || code=$?
  local inputs
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$parser.log")
  if [[ $code -ne 0 ]]; then
    grep -m 1 -E 'ERROR|runtime error' "$found/$parser.log" || tail -n 3 "$found/$parser.log"
    echo "fuzz: $parser BROKE (exit $code); the input and the log are in $found"
    return 1
  fi
  echo "fuzz: $parser: ${inputs:-0} inputs, none broke it"
}
export -f fuzz
export program seconds found

# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "${parsers[@]}" | xargs -n 1 -P 2 bash -c 'fuzz "$1"' fuzz || {
  echo "fuzz: failed"
  exit 1
}
