#!/usr/bin/env bash
# The offline site of the kept runs and of the nights in a folder (a checked-out data branch).
#
#   ci/site.sh FOLDER SITE
#
# SITE, a folder, is made, or replaced where it holds an earlier site.
set -euo pipefail
cd "$(dirname "$0")/.."
exec make site HISTORY="${1:?the folder of the history}" SITE="${2:?the folder of the site}"
