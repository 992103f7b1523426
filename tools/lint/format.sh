#!/usr/bin/env bash
# clang-format 14 and black over all files of the project: with --fix rewrites them, without it
# fails and shows what they would change.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(tools/find_python.sh)
list() { "$python" tools/lint/list_files.py "$@"; }

if [[ ${1:-} == --fix ]]; then
  list .cpp .h | xargs -r clang-format-14 -i
  list .py | xargs -r black --quiet
else
  list .cpp .h | xargs -r clang-format-14 --dry-run -Werror
  list .py | xargs -r black --check --diff --quiet
fi
