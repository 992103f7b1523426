#!/usr/bin/env bash
# Gates a change of any repository, and reports it: what the GitHub action and the template for GitLab
# run, from these sources or from /usr/share/nsop.
#
#   ci/action/gate.sh measure FOLDER BASE HEAD [ARGUMENT...]   in the repository; ARGUMENTs of `nsop gate`
#   ci/action/gate.sh report FOLDER HEAD_SHA                   see tools/gate_report.sh for its variables
#
# `measure` runs what is proposed and leaves FOLDER/gate.ndjson; `report` reads that as the data of a
# stranger and writes gate.md (the comment), gate.xml (JUnit) and gate.full.md (all rows) beside it.
# NSOP: the program, where it is not on the PATH. Exit 1 of `report`: a row is worse.
set -euo pipefail
usage() {
  echo "gate: usage: gate.sh measure FOLDER BASE HEAD [ARGUMENT...] | report FOLDER HEAD_SHA" >&2
  exit 2
}
[[ $# -ge 3 ]] || usage
nsop=$(command -v "${NSOP:-nsop}") || {
  echo "gate: ${NSOP:-nsop} is not installed; name it by NSOP" >&2
  exit 5
}
what=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
case $what in
  measure)
    [[ $# -ge 4 ]] || usage
    base=$3 head=$4
    shift 4
    rm -f "$folder"/gate.*
    status=0
    "$nsop" gate --base "$base" --head "$head" --merge-base --db "$folder/gate.db" "$@" || status=$?
    # A row that is worse and no verdict are for the report.
    [[ $status == [013] ]] || exit "$status"
    "$nsop" export @last --db "$folder/gate.db" --out "$folder/gate.ndjson"
    ;;
  report)
    [[ $# == 3 ]] || usage
    tools=$(cd "$(dirname "$(realpath "$0")")/../../tools" && pwd)
    exec "$tools/gate_report.sh" "$nsop" "$folder/gate.ndjson" "$folder" "$3"
    ;;
  *) usage ;;
esac
