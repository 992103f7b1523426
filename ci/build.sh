#!/usr/bin/env bash
# Builds everything: what is measured and what is tested.
set -euo pipefail
cd "$(dirname "$0")/.."
make build dev
