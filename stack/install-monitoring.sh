#!/bin/sh
# install-monitoring.sh [DEST]  unpacks Debian's Prometheus, promtool and Alertmanager below DEST
# (default: .stack/monitoring), for the proof `alerts`. No package is installed and no service
# starts. Debian's Alertmanager reads its templates from one absolute path only, so these are copied
# there, which needs root.
#
# Exit status: 0 done or already there, 1 failed, 3 not possible here.
set -eu

dest=${1:-$(dirname "$0")/../.stack/monitoring}
packages='prometheus prometheus-alertmanager'
templates=usr/share/prometheus/alertmanager
as_root=''
if [ "$(id -u)" -ne 0 ]; then as_root='sudo -n'; fi

# Alertmanager's first line names the version, on standard output or standard error.
show_versions() {
  for name in prometheus promtool prometheus-alertmanager; do
    "$1/usr/bin/$name" --version 2>&1 | head -n 1
  done
}

if [ -x "$dest/usr/bin/prometheus-alertmanager" ] && [ -d "/$templates" ]; then
  show_versions "$dest"
  exit 0
fi
for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null 2>&1 || {
    echo "not possible here: $tool is missing (a Debian or Ubuntu has it)" >&2
    exit 3
  }
done

mkdir -p "$(dirname "$dest")"
work=$(mktemp -d "$(dirname "$dest")/.monitoring.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# apt checks every package against the signed index. Files stay ours: no sandbox user.
download() {
  # shellcheck disable=SC2086 # packages is a list
  (cd "$work" && apt-get -qq -o APT::Sandbox::User= download $packages)
}
# A fresh image has no package lists, and old lists name packages that are gone.
if ! download 2>/dev/null; then
  # shellcheck disable=SC2086 # no word if we are root
  $as_root apt-get update -qq
  download
fi
mkdir "$work/new"
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/new"; done
show_versions "$work/new"
if [ ! -d "/$templates" ]; then
  # shellcheck disable=SC2086 # no word if we are root
  $as_root mkdir -p "/$(dirname "$templates")"
  # shellcheck disable=SC2086
  $as_root cp -R "$work/new/$templates" "/$templates"
fi
rm -rf "$dest"
mv "$work/new" "$dest"
