#!/usr/bin/env bash
# Fetches the artefact of a measuring run, as a stranger's data: one file of an expected name and at
# most 64 MiB. Prints PR_NUMBER=..., found by the head commit.
#
#   RUN_ID=... HEAD_SHA=... GITHUB_REPOSITORY=owner/name GH_TOKEN=... ci/hooks/github_artifact.sh OUT
set -euo pipefail
out=$1
most=$((64 << 20))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HEAD_SHA
artifact=$(gh api "repos/$GITHUB_REPOSITORY/actions/runs/$RUN_ID/artifacts" --jq \
  '[.artifacts[] | select(.name == "gate" and .size_in_bytes <= 67108864)][0].id // empty')
if [[ ! $artifact =~ ^[0-9]+$ ]]; then
  echo "github_artifact: run $RUN_ID has no artefact 'gate' of at most 64 MiB" >&2
  exit 4
fi
gh api "repos/$GITHUB_REPOSITORY/actions/artifacts/$artifact/zip" >"$scratch/gate.zip"
# What unzip says repeats names that a stranger chose: none of it reaches the log.
members=$(unzip -Z -s "$scratch/gate.zip" '*' 2>/dev/null | head -c 4096 | tr -d '\0') || true
if [[ $members == *$'\n'* || $members == l* || $members != *" gate.ndjson" ]]; then
  echo "github_artifact: the artefact is no zip of one file gate.ndjson" >&2
  exit 4
fi
# To a pipe, never to paths of the archive's choosing; reading stops at the limit.
unzip -p "$scratch/gate.zip" gate.ndjson 2>/dev/null | head -c "$((most + 1))" \
  >"$scratch/gate.ndjson" || true
size=$(stat -c %s "$scratch/gate.ndjson")
if ((size == 0 || size > most)); then
  echo "github_artifact: gate.ndjson is missing or larger than 64 MiB" >&2
  exit 4
fi
mkdir -p "$(dirname "$out")"
mv "$scratch/gate.ndjson" "$out"
number=$(gh api "repos/$GITHUB_REPOSITORY/pulls?state=open&per_page=100" --paginate --jq \
  '.[] | select(.head.sha == env.HEAD_SHA) | .number' | head -n 1)
if [[ ! $number =~ ^[0-9]+$ ]]; then
  echo "github_artifact: no open pull request has head $HEAD_SHA" >&2
  exit 4
fi
echo "PR_NUMBER=$number"
