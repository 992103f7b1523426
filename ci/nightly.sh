#!/usr/bin/env bash
# The long tests: slow ones, fault injection, sanitizers, coverage.
set -euo pipefail
cd "$(dirname "$0")/.."
make test-full coverage
