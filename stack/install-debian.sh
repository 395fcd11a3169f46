#!/bin/sh
# install-debian.sh DEST     put llama-server and Valkey from Debian's own packages into DEST
# install-debian.sh --check  only say whether this machine can do that
#
# Nothing is installed on the machine and no root is needed: a private apt resolves, fetches and
# verifies the packages with their whole closure, C library included; they are unpacked below
# DEST/root, and DEST/bin/NAME starts the unpacked program through the unpacked loader. So they run
# on a Debian or Ubuntu older than the one they were built for.
#
# Trust: apt checks the suite's signature against the Debian archive keyring, the index against
# that, and every package against the index. Unsigned archives are refused.
#
#   DEBIAN_MIRROR   a Debian archive (default: the first one in this machine's apt sources)
#   DEBIAN_KEYRING  its keyring (default: the one of the package debian-archive-keyring)
#
# Exit status: 0 done, 1 failed (DEST is left as it was), 2 wrong usage, 3 not possible here.
set -eu

SUITE=forky
PACKAGES='llama.cpp-tools valkey-server valkey-tools'
PROGRAMS='llama-server valkey-server valkey-cli'
KEYRING=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

die() { echo "install-debian: $*" >&2; exit 1; }
cannot() { echo "$*" >&2; exit 3; }

[ $# -eq 1 ] && [ -n "$1" ] || { echo 'usage: install-debian.sh DEST | --check' >&2; exit 2; }

for tool in apt-get dpkg dpkg-deb tar sha256sum; do
  command -v "$tool" >/dev/null 2>&1 || cannot "$tool is missing (a Debian or Ubuntu has it)"
done
ARCH=$(dpkg --print-architecture)
case $ARCH in
  amd64) TRIPLET=x86_64-linux-gnu LOADER=ld-linux-x86-64.so.2 ;;
  arm64) TRIPLET=aarch64-linux-gnu LOADER=ld-linux-aarch64.so.1 ;;
  *) cannot "the architecture $ARCH is not supported (amd64 and arm64 are)" ;;
esac
[ -r "$KEYRING" ] ||
  cannot "no archive keyring at $KEYRING: install debian-archive-keyring or set DEBIAN_KEYRING"

find_mirror() {
  # What apt itself knows, which needs downloaded lists ...
  # shellcheck disable=SC2016  # $(ORIGIN) is apt's own notation
  apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 !~ /security/ { print $2; exit }'
  # ... or, in a fresh image, the sources as they are written, in the old style and in deb822.
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
    2>/dev/null |
    awk '/^[[:space:]]*#/ { next }
         /^deb[[:space:]]/ || /^URIs:/ {
           for (i = 1; i <= NF; i++)
             if ($i ~ /^(https?|file|mirror\+file):/ && $i ~ /\/debian\/?$/) { print $i; exit }
         }'
}
MIRROR=${DEBIAN_MIRROR:-$(find_mirror | head -n 1)}
[ -n "$MIRROR" ] || cannot "no Debian archive in this machine's apt sources: set DEBIAN_MIRROR"
[ "$1" != --check ] || exit 0

mkdir -p "$1"
DEST=$(cd "$1" && pwd -P)
WORK=$(mktemp -d "$DEST/.install.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
for folder in lists/partial archives/partial log conf.d new/root new/bin; do
  mkdir -p "$WORK/$folder"
done
# An empty status file says that nothing is installed: apt then fetches the whole closure.
: > "$WORK/status"
echo "deb [signed-by=$KEYRING arch=$ARCH] $MIRROR $SUITE main" > "$WORK/sources.list"
# The machine's own settings hold for proxies and the like, but ours come last, and its hooks must
# not run: they were written for its own package database.
cp /etc/apt/apt.conf.d/* "$WORK/conf.d/" 2>/dev/null || true
cp /etc/apt/apt.conf "$WORK/conf.d/zz-machine" 2>/dev/null || true
cat > "$WORK/apt.conf" <<EOF
Dir::Etc::parts "$WORK/conf.d";
Dir::Etc::main "/dev/null";
EOF
cat > "$WORK/conf.d/zzz-stack" <<EOF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
Dir::Etc::sourcelist "$WORK/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$WORK/lists";
Dir::State::status "$WORK/status";
Dir::State::extended_states "$WORK/extended_states";
Dir::Cache "$WORK";
Dir::Cache::archives "$WORK/archives";
Dir::Log "$WORK/log";
APT::Architecture "$ARCH";
APT::Architectures { "$ARCH"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
APT::Get::Assume-Yes "true";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::PDiffs "false";
Acquire::Retries "3";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Debug::NoLocking "true";
Dpkg::Use-Pty "false";
EOF
run_apt() {
  APT_CONFIG="$WORK/apt.conf" apt-get -q -q "$@" </dev/null >"$WORK/apt.out" 2>&1 ||
    { cat "$WORK/apt.out" >&2; return 1; }
}
run_apt update || die "could not fetch or verify the index of $SUITE"
# shellcheck disable=SC2086  # PACKAGES is a list
run_apt install --download-only $PACKAGES || die "could not resolve or fetch: $PACKAGES"

NEW="$WORK/new"
LIB="usr/lib/$TRIPLET"
for package in "$WORK"/archives/*.deb; do
  name=$(dpkg-deb -f "$package" Package)
  # MANIFEST names everything that was fetched. What only a package's install scripts call for
  # stays packed.
  printf '%s %s %s\n' "$name" "$(dpkg-deb -f "$package" Version)" \
    "$(sha256sum "$package" | cut -d' ' -f1)" >> "$NEW/MANIFEST"
  case $name in debconf | systemd | libsystemd-shared | wget) continue ;; esac
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -C "$NEW/root" --no-same-owner --exclude='./usr/share/man/*' \
      --exclude='./usr/share/locale/*' --exclude='./usr/lib/*/gconv/*' ||
    die "could not unpack $name"
done

[ -e "$NEW/root/$LIB/$LOADER" ] || die "no $LOADER in the unpacked packages"
BACKENDS=$(cd "$NEW/root" && find "$LIB/ggml" -maxdepth 1 -name 'backends*' | head -n 1)
[ -n "$BACKENDS" ] || die 'no ggml backends in the unpacked packages'
for name in $PROGRAMS; do
  [ -x "$NEW/root/usr/bin/$name" ] || [ -L "$NEW/root/usr/bin/$name" ] ||
    die "no $name in the unpacked packages"
  # Each program gets a copy of the loader under its own name, for that is the name ps shows. ggml
  # looks for its CPU backends beside the running executable, which is the loader: so the copies
  # lie there.
  cp -L "$NEW/root/$LIB/$LOADER" "$NEW/root/$BACKENDS/$name"
  cat > "$NEW/bin/$name" <<EOF
#!/bin/sh
root=\$(CDPATH='' cd -- "\$(dirname -- "\$(readlink -f -- "\$0")")/../root" && pwd -P)
exec "\$root/$BACKENDS/$name" --argv0 $name --library-path "\$root/$LIB:\$root/$LIB/llama" \\
  "\$root/usr/bin/$name" "\$@"
EOF
  chmod 755 "$NEW/bin/$name"
  "$NEW/bin/$name" --version >"$WORK/version" 2>&1 ||
    { cat "$WORK/version" >&2; die "$name does not start"; }
done

for part in root bin MANIFEST; do
  [ ! -e "$DEST/$part" ] || mv "$DEST/$part" "$WORK/old-$part"
  mv "$NEW/$part" "$DEST/$part"
done
