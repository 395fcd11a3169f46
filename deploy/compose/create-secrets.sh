#!/bin/sh
# Writes secrets/: passwords of the stores, Headrace's keys and the engine's API key, all random, and
# what is empty until you write it: the address of the SMTP server, and two secrets of Stripe.
# An existing file is never changed, so running it again is safe.
#
# The folder is closed to other users of this machine. The files in it are readable, because each
# container reads only those that compose.yaml gives it, under a user of its own.
set -eu
cd "$(dirname "$0")"
umask 022
mkdir -p secrets
chmod 700 secrets

# 32 bytes in base64url, 43 characters: the form that Headrace's keys have.
random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# put NAME VALUE
put() {
  if [ -e "secrets/$1" ]; then return; fi
  printf '%s\n' "$2" >"secrets/$1.new"
  chmod 444 "secrets/$1.new"
  mv "secrets/$1.new" "secrets/$1"
  echo "secrets/$1"
}

put postgres_password "$(random)"
put database_url "postgres://headrace:$(cat secrets/postgres_password)@postgres:5432/headrace"
put api_password "$(random)"
put api_database_url "postgres://headrace_api:$(cat secrets/api_password)@postgres:5432/headrace"
put worker_password "$(random)"
put worker_database_url \
  "postgres://headrace_worker:$(cat secrets/worker_password)@postgres:5432/headrace"
put console_password "$(random)"
put console_database_url \
  "postgres://headrace_console:$(cat secrets/console_password)@postgres:5432/headrace"
put valkey_conf "requirepass $(random)"
put valkey_url "redis://:$(cut -d' ' -f2 secrets/valkey_conf)@valkey:6379"
put signing_key "$(random)"
put content_key "$(random)"
# Start the engine with this key, or write the key that it has into the file.
put engine_key "${ENGINE_KEY:-$(random)}"
# smtps://user:password@mail.example.com:465. Empty: no email is sent.
put smtp_url "${SMTP_URL:-}"
# For payments: the restricted key, and the signing secret of the webhook. Empty: there are none.
put stripe_key ""
put stripe_webhook_secrets ""
