#!/bin/bash
# make-tools.sh ROOT: a Debian with podman, buildah, skopeo and Docker Compose in a folder, from signed
# packages, so that nothing is installed on the machine. Needs root and mmdebstrap; about 65 s.
# Run again, it adds what is missing. MIRROR names another Debian archive.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$1
if [ ! -x "$ROOT/usr/bin/apt-get" ]; then
  mkdir -p "$ROOT"
  mmdebstrap --quiet --variant=minbase --mode=root --components=main trixie "$ROOT" ${MIRROR:+"$MIRROR"}
fi
if [ ! -x "$ROOT/usr/bin/podman" ] || [ ! -x "$ROOT/usr/libexec/docker/cli-plugins/docker-compose" ]; then
  mkdir -p "$ROOT/etc/ssl/certs"
  "$HERE/enter.sh" "$ROOT" apt-get update -q
  "$HERE/enter.sh" "$ROOT" apt-get install -q -y --no-install-recommends ca-certificates podman \
    buildah skopeo runc conmon netavark aardvark-dns nftables iproute2 libcap2-bin docker-compose
fi
# crun refuses machines with both versions of control groups. A limit can only be raised up to the
# hard one without CAP_SYS_RESOURCE.
mkdir -p "$ROOT/etc/containers"
cat >"$ROOT/etc/containers/headrace.conf" <<CONF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=$(ulimit -Hu):$(ulimit -Hu)"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
