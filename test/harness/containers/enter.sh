#!/bin/bash
# enter.sh ROOT COMMAND…: runs a command inside a tools root (make-tools.sh), in a mount namespace of
# its own, so that no mount stays behind. Variables of the caller are not passed on: use env.
set -euo pipefail
ROOT=$(cd "$1" && pwd)
shift
export ROOT
# shellcheck disable=SC2016 # expanded inside
exec unshare --mount bash -c '
set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT" # podman remounts /, so / has to be a mount
for folder in proc sys dev; do mount --rbind "/$folder" "$ROOT/$folder"; done
cp /etc/resolv.conf /etc/hosts "$ROOT/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/"
# Not chroot: runc joins the namespace of a container at its root, and would miss the container.
cd "$ROOT"
mkdir -p mnt
pivot_root . mnt
umount --lazy /mnt
exec /usr/bin/env -i -C / HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  PODMAN_IGNORE_CGROUPSV1_WARNING=1 CONTAINERS_CONF=/etc/containers/headrace.conf "$@"
' bash "$@"
