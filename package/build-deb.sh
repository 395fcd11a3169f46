#!/usr/bin/env bash
# Builds a Debian package for this machine's architecture from the npm tarball, with its own Node.js:
# build-deb.sh TARBALL FOLDER. Builds nothing else; two builds of one tarball have one checksum.
set -euo pipefail
umask 022

readonly tarball=$1 out=$2
readonly repository=${BASH_SOURCE[0]%/*}/..
readonly units=$repository/deploy/systemd
# The time that npm gives to the files of the tarball.
export SOURCE_DATE_EPOCH=499162500

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
readonly home=$root/usr/lib/headrace

mkdir -p "$home/bin" "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/etc/headrace" \
  "$root/usr/share/doc/headrace" "$root/DEBIAN" "$out"
tar --extract --gzip --file "$tarball" --strip-components=1 --no-same-owner --directory "$home"
"$repository/package/find-node.sh" "$(dpkg --print-architecture)" "$home/bin/node"
install -m 755 "$units/headrace" "$root/usr/bin/headrace"
install -m 644 "$units"/*.service "$root/usr/lib/systemd/system/"
install -m 644 "$home/headrace.yaml" "$root/etc/headrace/headrace.yaml"
install -m 600 "$units/headrace.env" "$root/etc/headrace/headrace.env"
install -m 644 "$home/LICENSE" "$root/usr/share/doc/headrace/copyright"

version=$(node -p "require('$home/package.json').version")
architecture=$(dpkg --print-architecture)
cat >"$root/DEBIAN/control" <<CONTROL
Package: headrace
# A pre-release sorts before its release: 1.0.0~rc.1.
Version: ${version/-/\~}
Architecture: $architecture
Maintainer: Headrace maintainers <maintainers@headrace.invalid>
Section: net
Priority: optional
Installed-Size: $(du --summarize --block-size=1024 "$root" | cut -f1)
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 6)
Suggests: postgresql, valkey-server
Description: self-hosted inference gateway
 API keys, organizations, rate limits, usage metering and streaming in front of
 your inference engines. Contains the Node.js that runs it.
CONTROL
sed --in-place '/^#/d' "$root/DEBIAN/control"
printf '/etc/headrace/headrace.%s\n' env yaml >"$root/DEBIAN/conffiles"
install -m 755 "$repository/package/debian"/* "$root/DEBIAN/"

readonly deb=$out/headrace_${version/-/\~}_$architecture.deb
dpkg-deb --root-owner-group -Zzstd --threads-max=1 --build "$root" "$deb" >/dev/null
(cd "$out" && sha256sum "${deb##*/}")
