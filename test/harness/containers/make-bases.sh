#!/bin/bash
# make-bases.sh ROOT NODE: local stand-ins for the base images of deploy/image/Dockerfile, for
# machines that reach no registry: localhost/cc (as distroless/cc) and localhost/node-slim with the
# program NODE. Needs root and mmdebstrap; about 40 s, once.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$1 NODE=$2
images=$("$HERE/enter.sh" "$ROOT" buildah images --format '{{.Name}}')
if grep -q localhost/cc <<<"$images" && grep -q localhost/node-slim <<<"$images"; then exit 0; fi
WORK=$ROOT/srv/bases
mkdir -p "$WORK"
# No shell and no dpkg: libraries, certificates, time zones.
mmdebstrap --quiet --variant=extract --mode=root --components=main \
  --include=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libstdc++6,libatomic1 \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  trixie "$WORK/cc.tar" ${MIRROR:+"$MIRROR"}
mmdebstrap --quiet --variant=minbase --mode=root --components=main \
  trixie "$WORK/node-slim.tar" ${MIRROR:+"$MIRROR"}
cp "$NODE" "$WORK/node"
"$HERE/enter.sh" "$ROOT" bash -euo pipefail -c '
cd /srv/bases
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cc=$(buildah from scratch)
buildah add -q "$cc" cc.tar /
buildah config --user 65532:65532 --env PATH=$path "$cc"
buildah commit -q --rm "$cc" localhost/cc
slim=$(buildah from scratch)
buildah add -q "$slim" node-slim.tar /
buildah add -q "$slim" node /usr/local/bin/node
buildah config --env PATH=$path "$slim"
buildah commit -q --rm "$slim" localhost/node-slim'
rm -rf "$WORK"
