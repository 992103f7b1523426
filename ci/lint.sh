#!/usr/bin/env bash
# Format, lints, clang-tidy, and the committed reports against their JSON.
set -euo pipefail
cd "$(dirname "$0")/.."
make lint check-generated
