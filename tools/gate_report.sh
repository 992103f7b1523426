#!/usr/bin/env bash
# Judges an exported gate again and writes comment, JUnit XML and annotations of it.
#
#   tools/gate_report.sh NSOP GATE.NDJSON FOLDER [HEAD_SHA]
#
# The file is data: it is imported into a database of its own, and refused if it is of another head
# commit. COMMENT_HOOK: run with the comment's file. GITHUB_ACTIONS: annotations are printed and the
# summary written. Exit 1 if a row is worse.
set -euo pipefail
cd "$(dirname "$0")/.."
nsop=$1 gate=$2 folder=$3 head=${4:-}
mkdir -p "$folder"
db=$folder/report.db
rm -f "$db" "$db"-*
"$nsop" import "$gate" --db "$db"
report=("$nsop" report --gate @last --untrusted --db "$db")
if [[ -n $head ]]; then
  report+=(--expect-head "$head")
fi
"${report[@]}" --format pull-request --out "$folder/gate.md"
"${report[@]}" --format junit --out "$folder/gate.xml"
if [[ -n ${GITHUB_ACTIONS:-} ]]; then
  "${report[@]}" --format github
  "${report[@]}" --format step-summary >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
if [[ -n ${COMMENT_HOOK:-} ]]; then
  "$COMMENT_HOOK" "$folder/gate.md"
fi
"${report[@]}" --format step-summary --out "$folder/gate.full.md" --fail-on-worse
