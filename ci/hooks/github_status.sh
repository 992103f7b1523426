#!/usr/bin/env bash
# STATUS_HOOK of GitHub: shows a verdict among the checks of the head commit. The reporting job can't
# be one itself: it runs on the default branch.
#
#   HEAD_SHA=... GITHUB_REPOSITORY=owner/name GH_TOKEN=... ci/hooks/github_status.sh STATE TEXT
#
# STATE: success, failure, error or pending. STATUS_CONTEXT: its name (default `nsop gate`).
set -euo pipefail
state=$1 text=$2
if [[ ! $HEAD_SHA =~ ^[0-9a-f]{40}$ ]]; then
  echo "github_status: HEAD_SHA is no commit: $HEAD_SHA" >&2
  exit 2
fi
fields=(-f "state=$state" -f "context=${STATUS_CONTEXT:-nsop gate}" -f "description=${text:0:140}")
if [[ -n ${GITHUB_RUN_ID:-} ]]; then
  fields+=(-f "target_url=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID")
fi
gh api --method POST "repos/$GITHUB_REPOSITORY/statuses/$HEAD_SHA" "${fields[@]}" --silent
