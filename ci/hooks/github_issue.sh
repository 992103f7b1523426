#!/usr/bin/env bash
# ALERT_HOOK of GitHub: one issue per open alert, found again by the alert's id in its title, and
# closed with the alert.
#
#   ALERT_ID=0123456789ab ALERT_STATE=open ALERT_TITLE=... GITHUB_REPOSITORY=owner/name GH_TOKEN=... \
#     ci/hooks/github_issue.sh BODY.md
set -euo pipefail
file=$1
issues=repos/$GITHUB_REPOSITORY/issues
known=$(gh api --paginate "$issues?state=all&creator=${COMMENT_AUTHOR:-github-actions[bot]}" --jq \
  '.[] | select(.pull_request == null and (.title | contains(env.ALERT_ID))) | .number' | head -n 1)
state=open
[[ ${ALERT_STATE:-open} == open ]] || state=closed
if [[ -n $known ]]; then
  gh api --method PATCH "$issues/$known" -F "body=@$file" -f "state=$state" --silent
elif [[ $state == open ]]; then
  gh api --method POST "$issues" -f "title=$ALERT_TITLE" -F "body=@$file" --silent
fi
