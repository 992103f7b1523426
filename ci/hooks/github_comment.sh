#!/usr/bin/env bash
# COMMENT_HOOK of GitHub: creates the comment of a pull request or edits the one that is there; as
# EARLIER_HOOK prints the one that is there.
#
#   PR_NUMBER=17 GITHUB_REPOSITORY=owner/name GH_TOKEN=... ci/hooks/github_comment.sh COMMENT.md
#   ... ci/hooks/github_comment.sh --show FIRST_LINE
#
# The comment is found by its first line and by its author: anybody can write that line.
set -euo pipefail
author=${COMMENT_AUTHOR:-github-actions[bot]}
comments=repos/$GITHUB_REPOSITORY/issues/$PR_NUMBER/comments
if [[ $1 == --show ]]; then
  marker=$2
else
  file=$1
  marker=$(head -n 1 "$file")
fi
export author marker
ours='.[] | select(.user.login == env.author and (.body | startswith(env.marker)))'
if [[ $1 == --show ]]; then
  gh api --paginate "$comments" --jq "$ours | .body"
  exit
fi
known=$(gh api --paginate "$comments" --jq "$ours | .id" | head -n 1)
if [[ -n $known ]]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F "body=@$file" --silent
else
  gh api --method POST "$comments" -F "body=@$file" --silent
fi
