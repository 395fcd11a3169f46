#!/bin/sh
# Installs localstripe into .stack/localstripe, unless it is there: a fake of Stripe that others wrote, with
# which the proof `payments` judges our client. Every package has its hash in localstripe.txt.
# Prints `not possible here` and exits with 3 without Python 3.11 on x86-64 Linux.
set -eu
cd "$(dirname "$0")/.."
lock=stack/localstripe.txt
out=.stack/localstripe
if cmp -s "$lock" "$out/STAMP"; then exit 0; fi
case "$(uname -sm) $(python3 --version 2>&1)" in
  'Linux x86_64 Python 3.11.'*) ;;
  *) echo 'not possible here: no Python 3.11 on x86-64 Linux' && exit 3 ;;
esac
python3 -m venv --clear "$out"
grep -v '^localstripe=' "$lock" >"$out/wheels.txt"
grep '^localstripe=' "$lock" >"$out/source.txt"
pip() { "$out/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes "$@"; }
pip --only-binary :all: -r "$out/wheels.txt"
pip --no-build-isolation -r "$out/source.txt"
# Written last, so that an interrupted installation is repeated.
cp "$lock" "$out/STAMP"
