#!/usr/bin/env bash
# Nightly: measures, compares with the history in a folder (a checked-out data branch), bisects what
# is confirmed and leaves the new night there.
#
#   ci/perf_nightly.sh FOLDER
#
# If ALERT_HOOK names a program, it is run once for every open alert, and with ALERT_STATE=closed or
# accepted for those that were answered lately; if DATA_HOOK names one, it is run with the folder,
# whatever was found.
set -euo pipefail
cd "$(dirname "$0")/.."
exec make perf-nightly HISTORY="${1:?the folder of the history}"
