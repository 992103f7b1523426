#!/usr/bin/env bash
# Prints the first Python interpreter that can import what reports need; exit 5 if there is none.
#
#   tools/find_python.sh [MODULE...]          further modules that it must be able to import
#
# Tried in this order: $NSOP_PYTHON, /usr/bin/python3, every python3 on PATH. The first python3 on
# PATH often belongs to a version manager and lacks the distribution's packages.
set -euo pipefail
modules=(pandas matplotlib jinja2 "$@")

candidates=/usr/bin/python3$'\n'$(type -aP python3 || true)
[[ -z ${NSOP_PYTHON:-} ]] || candidates=$NSOP_PYTHON$'\n'$candidates
mapfile -t candidates <<<"$candidates"
for python in "${candidates[@]}"; do
  if "$python" -c "import ${modules[0]}$(printf ', %s' "${modules[@]:1}")" >/dev/null 2>&1; then
    echo "$python"
    exit 0
  fi
done
echo "find_python: none of ${candidates[*]} can import all of ${modules[*]}; run tools/setup.sh" >&2
exit 5
