#!/usr/bin/env bash
# COMMENT_HOOK of GitHub: creates the comment of a pull request or edits the one that is there.
#
#   PR_NUMBER=17 GITHUB_REPOSITORY=owner/name GH_TOKEN=... ci/hooks/github_comment.sh COMMENT.md
#
# The comment is found by its first line and by its author: anybody can write that line.
set -euo pipefail
file=$1
author=${COMMENT_AUTHOR:-github-actions[bot]}
comments=repos/$GITHUB_REPOSITORY/issues/$PR_NUMBER/comments
marker=$(head -n 1 "$file")
export author marker
known=$(gh api --paginate "$comments" --jq \
  '.[] | select(.user.login == env.author and (.body | startswith(env.marker))) | .id' | head -n 1)
if [[ -n $known ]]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F "body=@$file" --silent
else
  gh api --method POST "$comments" -F "body=@$file" --silent
fi
