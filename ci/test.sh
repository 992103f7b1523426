#!/usr/bin/env bash
# The tests of a change, and one report rendered end to end.
set -euo pipefail
exec bash "$(dirname "$0")/../.ci/run"
