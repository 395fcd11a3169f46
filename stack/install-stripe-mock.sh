#!/bin/sh
# Builds stripe-mock into .stack/stripe-mock, unless it is there: Stripe's own server for tests, which
# refuses requests that Stripe's OpenAPI does not allow. Takes up to 4 minutes.
# Prints `not possible here` and exits with 3 if there is no Go.
set -eu
version=v0.203.0
cd "$(dirname "$0")/.."
out=.stack/stripe-mock
if [ -x "$out" ] && [ "$(cat "$out.version" 2>/dev/null)" = "$version" ]; then exit 0; fi
if ! command -v go >/dev/null 2>&1; then
  echo 'not possible here: Go is not installed'
  exit 3
fi
mkdir -p .stack/stripe-mock.build
GOBIN="$PWD/.stack/stripe-mock.build" CGO_ENABLED=0 \
  go install -buildvcs=false -ldflags '-s -w' "github.com/stripe/stripe-mock@$version"
mv .stack/stripe-mock.build/stripe-mock "$out"
rmdir .stack/stripe-mock.build
echo "$version" >"$out.version"
