#!/bin/sh
# Installs Debian's Chromium for the tests in a browser, unless the machine has it: the shell
# without windows, which opens a page with a fifth of the work that /usr/bin/chromium needs.
# Another browser: CHROMIUM=/path/to/chromium.
set -eu

browser=${CHROMIUM:-/usr/bin/chromium-headless-shell}
if [ -x "$browser" ]; then
  "$browser" --version
  exit 0
fi
command -v apt-get >/dev/null 2>&1 || {
  # It needs more time, and is what the tests take without the shell.
  if [ -x /usr/bin/chromium ]; then exec /usr/bin/chromium --version; fi
  echo "No browser at $browser and no apt-get to install one: set CHROMIUM." >&2
  exit 1
}
as_root=''
if [ "$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # no word if we are root
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-liberation
"$browser" --version
