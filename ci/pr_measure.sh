#!/usr/bin/env bash
# Pull request, first job: measures the checked-out commit against its merge base with BASE and
# leaves build/gate/gate.ndjson. Runs code that is proposed: needs no secret and may write nothing.
#
#   ci/pr_measure.sh BASE           e.g. origin/main
set -euo pipefail
cd "$(dirname "$0")/.."
exec make gate BASE="${1:?the branch that is merged into}"
