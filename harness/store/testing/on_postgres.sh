#!/usr/bin/env bash
# Runs a program with a private PostgreSQL server, whose address it finds in NSOP_TEST_SERVER.
#
#   on_postgres.sh PROGRAM [ARGUMENT...]
#
# Exit 77 where PostgreSQL isn't installed; 1 in `make test-full`.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d /tmp/nsop-pg-XXXXXX)
if ! NSOP_TEST_SERVER=$("$here/postgres.sh" start "$folder"); then
  rm -rf "$folder"
  [[ -z ${NSOP_TEST_FULL:-} ]] && exit 77
  exit 1
fi
export NSOP_TEST_SERVER
"$@"
code=$?
"$here/postgres.sh" stop "$folder"
exit $code
