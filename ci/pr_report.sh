#!/usr/bin/env bash
# Pull request, second job, on trusted code: reads the file that the first one left as the data of a
# stranger, judges it again and renders it. Fails when a row is worse, unless STATUS_HOOK says so.
#
#   ci/pr_report.sh GATE.NDJSON HEAD_SHA
#
# If COMMENT_HOOK names a program, it is run with the file of the comment; COMMENT_ID tells apart
# the comments of several gates of one change. If STATUS_HOOK names a program, it is run with a state
# (`success`, `failure`, `pending`, `error`: docs/gate.md) and the verdict.
set -euo pipefail
cd "$(dirname "$0")/.."
exec make gate-report GATE="${1:?the file of the measuring job}" HEAD_SHA="${2:?the head commit}"
