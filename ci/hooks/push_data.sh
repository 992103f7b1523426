#!/usr/bin/env bash
# DATA_HOOK: commits what a nightly left in the checkout of the data branch, and pushes it. Files
# are only ever added, one per night and per event of an alert, so a push that came second is rebased
# and tried again. Exit 5 when that fails: the commit stays, and the next push takes it along.
set -euo pipefail
cd "$1"
export GIT_AUTHOR_NAME=${DATA_AUTHOR:-nsop} GIT_AUTHOR_EMAIL=${DATA_EMAIL:-nsop@localhost}
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
# Not what a killed nsop never finished: night.ndjson.nsop-new-aB3xY9, of earlier versions
# night.ndjson.aB3xY9 and .night.ndjson.k2_x9abc.
git add --all -- . ':(exclude,glob)**/*.nsop-new-*' \
  ':(exclude,glob)**/*.ndjson.??????' ':(exclude,glob)**/.*.ndjson.????????'
git diff --cached --quiet || git commit --quiet --message "A night's measurements"
for wait in 0 1 2 4 8; do
  sleep "$wait" # two that were rejected together must not collide again
  git push --quiet origin HEAD && exit 0
  if ! git pull --quiet --rebase; then
    git rebase --abort 2>/dev/null || true
    break
  fi
done
echo "push_data: the data branch could not be pushed; the night is committed in $1" >&2
exit 5
