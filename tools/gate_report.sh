#!/usr/bin/env bash
# Judges an exported gate again and writes comment, JUnit XML and annotations of it.
#
#   tools/gate_report.sh NSOP GATE.NDJSON FOLDER [HEAD_SHA]
#
# The file is data: it is imported into a database of its own, and refused if it is of another head
# commit. COMMENT_HOOK: run with the comment's file, which is marked with the gate's name COMMENT_ID.
# STATUS_HOOK: run with a state (`failure`: a row is worse, `success`: none is, `pending`: no verdict,
# `error`: nothing was to be judged) and the headline. GITHUB_ACTIONS:
# annotations are printed and the summary written. EARLIER_HOOK: run with --show and the first line of
# the comment, prints the comment that is there. RUN_URL, ARTEFACT_URL, HISTORY_URL: links in the
# comment; of GitHub and GitLab the run is known. Exit 1 if a row is worse and no hook said so.
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
run_url=${RUN_URL:-${CI_JOB_URL:-}}
if [[ -z $run_url && -n ${GITHUB_RUN_ID:-} ]]; then
  run_url=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
fi
comment=(--comment-id "${COMMENT_ID:-}")
[[ -z $run_url ]] || comment+=(--link "report=$run_url")
[[ -z ${ARTEFACT_URL:-} ]] || comment+=(--link "all rows=$ARTEFACT_URL")
[[ -z ${HISTORY_URL:-} ]] || comment+=(--link "history=$HISTORY_URL")
if [[ -n ${EARLIER_HOOK:-} ]]; then
  marker="<!-- nsop:gate${COMMENT_ID:+ $COMMENT_ID} -->"
  if "$EARLIER_HOOK" --show "$marker" >"$folder/earlier.md"; then
    comment+=(--earlier "$folder/earlier.md")
  else
    echo "gate-report: the earlier comment can't be read; its verdicts are lost" >&2
  fi
fi
"${report[@]}" --format pull-request "${comment[@]}" --out "$folder/gate.md"
"${report[@]}" --format junit --out "$folder/gate.xml"
"${report[@]}" --format step-summary --out "$folder/gate.full.md"
if [[ -n ${GITHUB_ACTIONS:-} ]]; then
  "${report[@]}" --format github
  cat "$folder/gate.full.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
verdict=$("${report[@]}" --format status)
if [[ -n ${STATUS_HOOK:-} ]]; then
  "$STATUS_HOOK" "${verdict%% *}" "${verdict#* }"
fi
if [[ -n ${COMMENT_HOOK:-} ]]; then
  "$COMMENT_HOOK" "$folder/gate.md"
fi
[[ -n ${STATUS_HOOK:-} || $verdict != failure* ]]
