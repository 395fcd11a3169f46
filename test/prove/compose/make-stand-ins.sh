#!/bin/bash
# make-stand-ins.sh ROOT IMAGE…: local images from Debian's packages under the names that compose.yaml
# has for PostgreSQL, Valkey and Caddy, for machines that reach no registry. Debian's versions are
# close to the pinned ones, not the same. Needs root and mmdebstrap; about 60 s, once.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ENTER=$HERE/../../harness/containers/enter.sh
ROOT=$1
shift
WORK=$ROOT/srv/stand-ins
missing=0
for image in "$@"; do
  "$ENTER" "$ROOT" podman image exists "docker.io/$image" || missing=1
done
if [ "$missing" -eq 0 ]; then exit 0; fi
mkdir -p "$WORK"
if [ ! -s "$WORK/root.tar" ]; then
  # The suite of stack/install-debian.sh; its mirror may be some days old.
  mmdebstrap --quiet --variant=minbase --mode=root --components=main \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    --include=postgresql-18,valkey-server,valkey-tools,caddy,wget,libcap2-bin \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    forky "$WORK/root.tar" ${MIRROR:+"$MIRROR"}
fi
cp "$HERE/postgres-entrypoint.sh" "$WORK/"
"$ENTER" "$ROOT" bash -euo pipefail -c '
cd /srv/stand-ins
base=$(buildah from scratch)
buildah add -q "$base" root.tar /
buildah commit -q --rm "$base" localhost/stand-in
for image in "$@"; do
  c=$(buildah from localhost/stand-in)
  m=$(buildah mount "$c")
  bin=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  case $image in
    */postgres:*)
      cp postgres-entrypoint.sh "$m/usr/local/bin/docker-entrypoint.sh"
      chroot "$m" install -d -o postgres -g postgres -m 1777 /var/lib/postgresql
      rm -rf "$m/var/lib/postgresql/18"
      buildah config --env PATH=/usr/lib/postgresql/18/bin:$bin --stop-signal SIGINT \
        --env PGDATA=/var/lib/postgresql/18/docker \
        --entrypoint "[\"docker-entrypoint.sh\"]" --cmd postgres "$c" ;;
    */valkey:*)
      chroot "$m" install -d -o valkey -g valkey /data
      buildah config --env PATH=$bin --workingdir /data --cmd valkey-server "$c" ;;
    */caddy:*)
      # The official program has this file capability.
      setcap cap_net_bind_service=+ep "$m/usr/bin/caddy"
      mkdir -p "$m/data" "$m/config" "$m/etc/caddy"
      buildah config --env PATH=$bin --env XDG_DATA_HOME=/data --env XDG_CONFIG_HOME=/config \
        --cmd "caddy run --config /etc/caddy/Caddyfile --adapter caddyfile" "$c" ;;
  esac
  buildah commit -q --rm "$c" "docker.io/$image"
done' bash "$@"
rm -rf "$WORK"
