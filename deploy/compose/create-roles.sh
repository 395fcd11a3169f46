#!/bin/sh
# PostgreSQL's image runs this when it creates the database: roles for the API, the worker and the
# console, which have fewer rights than the owner. `headrace migrate` gives them their rights.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
  --set api="$(cat /run/secrets/api_password)" \
  --set worker="$(cat /run/secrets/worker_password)" \
  --set console="$(cat /run/secrets/console_password)" <<'SQL'
create role headrace_api login password :'api';
create role headrace_worker login password :'worker';
create role headrace_console login password :'console';
SQL
