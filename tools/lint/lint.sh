#!/usr/bin/env bash
# All lints: house rules, format, flake8, shellcheck; with --tidy also clang-tidy.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
python=$(tools/find_python.sh) || exit
failed=()

step() {
  local name=$1
  shift
  echo "lint: $name"
  "$@" || failed+=("$name")
}

shell_files() {
  "$python" tools/lint/list_files.py .sh
  echo .ci/run
  printf "%s\n" tools/new_op tools/new_layer
}

step "house rules" "$python" tools/lint/run.py
step "format" tools/lint/format.sh
step "flake8" "$python" -m flake8 .
mapfile -t scripts <<<"$(shell_files)"
step "shellcheck" shellcheck "${scripts[@]}"
if [[ ${1:-} == --tidy ]]; then
  step "clang-tidy" tools/lint/tidy.sh
fi
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
