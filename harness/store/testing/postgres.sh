#!/usr/bin/env bash
# A private PostgreSQL server for tests: on a socket of its own, without a network, not durable.
#
#   postgres.sh start FOLDER     prints its address; FOLDER is made, at most 80 characters long
#   postgres.sh stop FOLDER      ends it and removes FOLDER
#   postgres.sh kill FOLDER      ends it as a power failure would; postgres.sh again FOLDER starts it anew
#
# Exit 77 where PostgreSQL isn't installed (Debian: postgresql). NSOP_TEST_PROGRAMS: the folder of its
# programs, for tests of what happens without them.
set -euo pipefail
what=$1
folder=$(realpath -m "$2")
programs=${NSOP_TEST_PROGRAMS:-$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)}
if [[ ! -x $programs/initdb ]]; then
  echo "postgres.sh: PostgreSQL is not installed (Debian: postgresql)" >&2
  exit 77
fi
as=()
if [[ $(id -u) -eq 0 ]]; then as=(runuser -u postgres --); fi # the server refuses to run as root

server() {
  (cd / && "${as[@]}" "$programs/pg_ctl" -D "$folder/data" "$@" >>"$folder/pg_ctl.log" 2>&1 </dev/null) || {
    cat "$folder/pg_ctl.log" "$folder/server.log" >&2
    return 1
  }
}
begin() {
  server -l "$folder/server.log" -w -t 60 start \
    -o "-k $folder -p 5432 -c listen_addresses='' -c fsync=off -c shared_buffers=32MB -c max_connections=60"
}

case $what in
  start)
    mkdir -p "$folder"
    touch "$folder/pg_ctl.log" "$folder/server.log"
    if [[ $(id -u) -eq 0 ]]; then chown -R postgres "$folder"; fi
    (cd / && "${as[@]}" "$programs/initdb" -D "$folder/data" -U nsop_admin -A trust --no-sync --no-locale -E UTF8 \
      >>"$folder/pg_ctl.log" 2>&1) || { cat "$folder/pg_ctl.log" >&2 && exit 1; }
    begin
    (cd / && "${as[@]}" "$programs/createdb" -h "$folder" -U nsop_admin nsop)
    echo "postgresql:///nsop?host=$folder&user=nsop_admin"
    ;;
  again) begin ;;
  kill) server -m immediate -w stop ;;
  stop)
    server -m immediate -w stop || true
    rm -rf "$folder"
    ;;
  *) echo "postgres.sh: expected start, again, kill or stop" >&2 && exit 2 ;;
esac
