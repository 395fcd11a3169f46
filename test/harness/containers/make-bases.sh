#!/bin/bash
# make-bases.sh ROOT NODE NPM: local stand-ins for the base images of deploy/image/Dockerfile, for
# machines that reach no registry: localhost/cc (as distroless/cc) and localhost/node-slim. NODE is a
# node program, NPM the folder of npm. Needs root and mmdebstrap; about 40 s, once.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$1 NODE=$2 NPM=$3
images=$("$HERE/enter.sh" "$ROOT" buildah images --format '{{.Name}}')
if grep -q localhost/cc <<<"$images" && grep -q localhost/node-slim <<<"$images"; then exit 0; fi
WORK=$ROOT/srv/bases
mkdir -p "$WORK/node/usr/local/bin" "$WORK/node/usr/local/lib/node_modules"
# No shell and no dpkg: libraries, certificates, time zones.
mmdebstrap --quiet --variant=extract --mode=root --components=main \
  --include=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libstdc++6,libatomic1 \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  trixie "$WORK/cc.tar" ${MIRROR:+"$MIRROR"}
mmdebstrap --quiet --variant=minbase --mode=root --components=main \
  --aptopt='APT::Install-Recommends "false"' --include=ca-certificates \
  trixie "$WORK/node-slim.tar" ${MIRROR:+"$MIRROR"}
cp "$NODE" "$WORK/node/usr/local/bin/node"
cp -r "$NPM" "$WORK/node/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$WORK/node/usr/local/bin/npm"
chmod +x "$WORK/node/usr/local/lib/node_modules/npm/bin/npm-cli.js"
"$HERE/enter.sh" "$ROOT" bash -euo pipefail -c '
cd /srv/bases
certificates=/etc/ssl/certs/ca-certificates.crt
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cc=$(buildah from scratch)
buildah add -q "$cc" cc.tar /
buildah config --user 65532:65532 --env PATH=$path "$cc"
buildah commit -q --rm "$cc" localhost/cc
slim=$(buildah from scratch)
buildah add -q "$slim" node-slim.tar /
buildah add -q "$slim" node /
buildah add -q "$slim" $certificates /etc/ssl/certs/
buildah config --env PATH=$path --env NODE_EXTRA_CA_CERTS=$certificates "$slim"
buildah commit -q --rm "$slim" localhost/node-slim'
rm -rf "$WORK"
