#!/bin/sh
# Builds the collector of the proof `trace` into .stack/collector, unless it is up to date there.
# Prints `not possible here` and exits with 3 if there is no Go. The modules are those of go.sum.
set -eu
cd "$(dirname "$0")/collector"
out=../../../../.stack/collector
if [ -x "$out" ] && [ "$out" -nt go.sum ] && [ "$out" -nt main.go ]; then exit 0; fi
if ! command -v go >/dev/null 2>&1; then
  echo 'not possible here: Go is not installed'
  exit 3
fi
mkdir -p "$(dirname "$out")"
CGO_ENABLED=0 go build -buildvcs=false -ldflags '-s -w' -o "$out.new" .
mv "$out.new" "$out"
