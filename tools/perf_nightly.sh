#!/usr/bin/env bash
# A night: nsop check with the history of a folder, then the hooks, whatever was found.
#
#   tools/perf_nightly.sh NSOP FOLDER [ARGUMENT_OF_CHECK...]
#
# ALERT_HOOK: run for every open or just answered alert (tools/each_alert.py); DATA_HOOK: run with the folder. Exits
# as the check does; where the check passes and a hook fails, as the hook does.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 5
nsop=$1 folder=$2
shift 2
mkdir -p "$folder" || exit 5
python=$(tools/find_python.sh) || exit 5
"$nsop" check --history "$folder" "$@"
status=$?
# With 2, 4 and 5 nothing was judged and nothing was left that could be kept.
if [[ $status != [013] ]]; then
  exit "$status"
fi
hooks=0
if [[ -n ${DATA_HOOK:-} ]]; then
  "$DATA_HOOK" "$folder" || hooks=5
fi
if [[ -n ${ALERT_HOOK:-} ]]; then
  "$python" tools/each_alert.py "$folder" "$nsop" "$ALERT_HOOK" || hooks=5
fi
exit "$((status != 0 ? status : hooks))"
