#!/bin/bash
# What deploy/compose/compose.yaml uses of the official image's entry point: the first start creates
# the cluster, its user and its database, on a server that listens on a Unix socket only.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # options are words
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" ${POSTGRES_INITDB_ARGS:-}
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=''" start
  createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do "$script"; done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
