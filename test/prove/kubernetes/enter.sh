#!/usr/bin/env bash
# enter.sh ROOT FOLDER:FOLDER… COMMAND…: runs a command in network, mount and process namespaces of
# its own. Its root is ROOT with a layer in memory above it; the folders are visible under their own
# paths. When the command ends, the kernel ends every process of the namespace and drops its mounts.
set -euo pipefail
root=$1 folders=$2
shift 2
memory=$(mktemp -d)
trap 'rmdir "$memory"' EXIT

enter() {
  set -euo pipefail
  local memory=$1 root=$2 folders=$3 folder
  shift 3
  mount --make-rprivate /
  mount -t tmpfs tmpfs "$memory"
  mkdir "$memory"/{upper,work,root}
  mount -t overlay overlay \
    -o "lowerdir=$root,upperdir=$memory/upper,workdir=$memory/work" "$memory/root"
  root=$memory/root
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  for folder in ${folders//:/ }; do
    mkdir -p "$root$folder"
    # The kubelet's mounts must be seen by containerd.
    mount --rbind "$folder" "$root$folder" && mount --make-rshared "$root$folder"
  done
  echo '127.0.0.1 localhost' >"$root/etc/hosts"
  # Pods get a copy of it. There is no DNS server: everything has an address.
  echo 'nameserver 127.0.0.1' >"$root/etc/resolv.conf"
  # Not chroot: `kubectl exec` enters the root of the container's mount namespace.
  mkdir "$root/before"
  cd "$root"
  pivot_root . before
  umount --lazy /before
  # Without exec: this shell is the first process, and reaps the orphans of containerd.
  /usr/bin/env -i HOME=/ TERM=dumb \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
export -f enter
unshare --net --mount --pid --fork --kill-child bash -c 'enter "$@"' bash "$memory" "$root" "$folders" "$@"
