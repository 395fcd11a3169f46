#!/bin/sh
# build.sh TARBALL [IMAGE]: builds the image from the packed package (node package/build.ts), with
# docker or, where that is missing, buildah. The same tarball, base and SOURCE_DATE_EPOCH give the
# same digest.
#
#   IMAGE              name and tag (default: localhost/headrace:VERSION)
#   ARCHITECTURE       amd64 or arm64 (default: that of this machine)
#   BASE               another base image, see Dockerfile
#   NODE               another program of Node.js than package/find-node.sh finds
#   REVISION, SOURCE   commit and address of the sources, for the labels
#   SOURCE_DATE_EPOCH  time of every file and of the image, in seconds (default: 0)
#   BUILDER            docker or buildah (default: docker if its daemon answers)
#   BUILD_OPTIONS      further options of the builder, such as --network=host
set -eu
umask 022
here=$(cd "$(dirname "$0")" && pwd)
tarball=$1
version=$(basename "$tarball" .tgz | sed 's/^headrace-//')
image=${2:-localhost/headrace:$version}
epoch=${SOURCE_DATE_EPOCH:-0}
case ${ARCHITECTURE:-$(uname -m)} in
arm64 | aarch64) architecture=arm64 ;;
*) architecture=amd64 ;;
esac
if [ -z "${BUILDER:-}" ]; then
  BUILDER=buildah
  if docker info >/dev/null 2>&1; then BUILDER=docker; fi
fi

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
mkdir "$context/app"
tar -xzf "$tarball" --strip-components=1 --no-same-owner -C "$context/app"
chmod -R a+rX,go-w "$context/app"
if [ -n "${NODE:-}" ]; then
  cp "$NODE" "$context/node"
else
  "$here/../../package/find-node.sh" "$architecture" "$context/node"
fi
chmod 755 "$context/node"

set -- --file "$here/Dockerfile" --tag "$image" --platform "linux/$architecture" \
  --build-arg "VERSION=$version" --build-arg "REVISION=${REVISION:-unknown}" \
  --build-arg "SOURCE=${SOURCE:-unknown}" ${BASE:+--build-arg "BASE=$BASE"} ${BUILD_OPTIONS:-}
case $BUILDER in
docker)
  # The layers get the time of the image too, which is not docker's default.
  SOURCE_DATE_EPOCH=$epoch docker buildx build --provenance=false "$@" \
    --output type=docker,rewrite-timestamp=true "$context"
  ;;
*)
  if ! command -v buildah >/dev/null; then
    echo 'neither docker (with its daemon) nor buildah is available' >&2
    exit 1
  fi
  buildah build --quiet --layers=false --timestamp "$epoch" "$@" "$context"
  ;;
esac
echo "$image"
