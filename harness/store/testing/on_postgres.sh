#!/usr/bin/env bash
# Runs a program with a private PostgreSQL server, whose address it finds in NSOP_TEST_SERVER.
#
#   on_postgres.sh PROGRAM [ARGUMENT...]
#
# Exit 77 where PostgreSQL isn't installed, in `make test-full` 1; 1 too where it doesn't start.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d /tmp/nsop-pg-XXXXXX)
NSOP_TEST_SERVER=$("$here/postgres.sh" start "$folder")
code=$?
if [[ $code -ne 0 ]]; then
  "$here/postgres.sh" stop "$folder" >/dev/null 2>&1
  rm -rf "$folder"
  [[ $code -eq 77 && -z ${NSOP_TEST_FULL:-} ]] && exit 77
  exit 1
fi
export NSOP_TEST_SERVER
"$@"
code=$?
"$here/postgres.sh" stop "$folder"
exit $code
