#!/bin/sh
# Installs Debian's Chromium for the tests in a browser, unless the machine has one.
# Another browser: CHROMIUM=/path/to/chromium.
set -eu

browser=${CHROMIUM:-/usr/bin/chromium}
if [ -x "$browser" ]; then
  "$browser" --version
  exit 0
fi
command -v apt-get >/dev/null 2>&1 || {
  echo "No browser at $browser and no apt-get to install one: set CHROMIUM." >&2
  exit 1
}
as_root=''
if [ "$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # no word if we are root
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends chromium fonts-liberation
/usr/bin/chromium --version
