#!/bin/sh
# build.sh TARBALL [IMAGE]: builds the image from the packed package (node package/build.ts), with
# docker or, where that is missing, buildah. The same tarball, bases and SOURCE_DATE_EPOCH give the
# same digest.
#
#   IMAGE              name and tag (default: localhost/headrace:VERSION)
#   BUILD_BASE, BASE   other base images, see Dockerfile
#   REVISION           commit of the sources, for the label
#   SOURCE_DATE_EPOCH  time of every file and of the image, in seconds (default: 0)
#   BUILD_OPTIONS      further options of the builder, such as --network=host
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tarball=$1
version=$(basename "$tarball" .tgz | sed 's/^headrace-//')
image=${2:-localhost/headrace:$version}
epoch=${SOURCE_DATE_EPOCH:-0}
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp "$tarball" "$context/headrace.tgz"

set -- --file "$here/Dockerfile" --tag "$image" \
  --build-arg "VERSION=$version" --build-arg "REVISION=${REVISION:-unknown}" \
  ${BUILD_BASE:+--build-arg "BUILD_BASE=$BUILD_BASE"} ${BASE:+--build-arg "BASE=$BASE"} \
  ${BUILD_OPTIONS:-}
if docker info >/dev/null 2>&1; then
  # The layers get the time of the image too, which is not docker's default.
  SOURCE_DATE_EPOCH=$epoch docker buildx build --provenance=false "$@" \
    --output type=docker,rewrite-timestamp=true "$context"
elif command -v buildah >/dev/null; then
  buildah build --quiet --layers=false --timestamp "$epoch" "$@" "$context"
else
  echo 'neither docker (with its daemon) nor buildah is available' >&2
  exit 1
fi
echo "$image"
