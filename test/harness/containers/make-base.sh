#!/bin/bash
# make-base.sh ROOT: localhost/cc, a local stand-in for the base image of deploy/image/Dockerfile, for
# machines that reach no registry. Needs root and mmdebstrap; about 20 s, once.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$1
images=$("$HERE/enter.sh" "$ROOT" buildah images --format '{{.Name}}')
if grep -q localhost/cc <<<"$images"; then exit 0; fi
WORK=$ROOT/srv/bases
mkdir -p "$WORK"
# No shell and no dpkg: libraries, certificates, time zones.
mmdebstrap --quiet --variant=extract --mode=root --components=main \
  --include=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libstdc++6,libatomic1 \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  trixie "$WORK/cc.tar" ${MIRROR:+"$MIRROR"}
"$HERE/enter.sh" "$ROOT" bash -euo pipefail -c '
cd /srv/bases
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cc=$(buildah from scratch)
buildah add -q "$cc" cc.tar /
buildah config --user 65532:65532 --env PATH=$path "$cc"
buildah commit -q --rm "$cc" localhost/cc'
rm -rf "$WORK"
