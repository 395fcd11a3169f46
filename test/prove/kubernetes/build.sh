#!/usr/bin/env bash
# build.sh [FOLDER]: builds what the proof `kubernetes` needs, by default in .stack/kubernetes.
#
#   bin/   Kubernetes and Helm, from their Go modules (about 15 CPU-minutes the first time)
#   crds/  definitions of the Prometheus operator and the Gateway API, from theirs
#   root/  a Debian with etcd, containerd, runc and the CNI plugins, made by mmdebstrap
#
# Nothing is installed on the machine. Needs Go 1.26; for root/ also mmdebstrap and root. What is
# there already is kept. Exit status: 0 done, 3 not possible here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/../../../.stack/kubernetes}

readonly kubernetes=v1.36.3 helm=v4.3.1 operator=v0.85.0 gateway=v1.6.3
readonly commands='kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl'

cannot() { echo "not possible here: $*" >&2 && exit 3; }
command -v go >/dev/null || cannot 'Go is missing'
mkdir -p "$folder"/{bin,crds,module}
folder=$(cd "$folder" && pwd)
export CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath' GOTOOLCHAIN=local

# `go install` refuses modules with replace directives, so they become those of a module of our own.
build_kubernetes() {
  cd "$folder/module"
  rm -f go.mod go.sum
  go mod init headrace/kubernetes 2>/dev/null
  local upstream packages=() command
  upstream=$(go mod download -json "k8s.io/kubernetes@$kubernetes" |
    sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
  awk '/=> .\/staging/ { print $1 }' "$upstream" | sort -u | while read -r module; do
    go mod edit -replace "$module=$module@v0.${kubernetes#v1.}"
  done
  go mod edit -require "k8s.io/kubernetes@$kubernetes"
  for command in $commands; do packages+=("k8s.io/kubernetes/cmd/$command"); done
  { echo '//go:build tools' && echo 'package kubernetes'
    printf 'import _ "%s"\n' "${packages[@]}"; } >tools.go
  go mod tidy -e >/dev/null 2>&1 || true
  local set='-X k8s.io/component-base/version.' minor=${kubernetes#v1.}
  # The API server parses the two numbers.
  local numbers="${set}gitMajor=1 ${set}gitMinor=${minor%%.*}"
  go build -mod=mod -o "$folder/bin/" \
    -ldflags="-s -w ${set}gitVersion=$kubernetes $numbers" "${packages[@]}"
}

# copy_crds MODULE VERSION FILE…
copy_crds() {
  local source
  source=$(cd "$folder/module" && go mod download -json "$1@$2" |
    sed -n 's/.*"Dir": "\(.*\)",/\1/p')
  shift 2
  (cd "$source" && install -m 644 "$@" "$folder/crds/")
}

make_root() {
  command -v mmdebstrap >/dev/null || cannot 'mmdebstrap is missing'
  [ "$(id -u)" -eq 0 ] || cannot 'mmdebstrap needs root here'
  mmdebstrap --quiet --variant=minbase --mode=root --components=main \
    --aptopt='APT::Install-Recommends "false"' \
    --include=containerd,containernetworking-plugins,etcd-server,iproute2,nftables,runc \
    --include=ca-certificates,libatomic1,libstdc++6,kmod \
    trixie "$folder/root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
}

[ -x "$folder/bin/kubelet" ] || build_kubernetes
[ -x "$folder/bin/helm" ] || GOBIN=$folder/bin go install -ldflags='-s -w' \
  "helm.sh/helm/v4/cmd/helm@$helm"
[ -x "$folder/bin/pause" ] || go build -ldflags='-s -w' -o "$folder/bin/pause" "$here/pause.go"
[ -n "$(ls -A "$folder/crds")" ] || {
  copy_crds sigs.k8s.io/gateway-api "$gateway" \
    config/crd/standard/gateway.networking.k8s.io_httproutes.yaml
  operator_crds=example/prometheus-operator-crd/monitoring.coreos.com
  copy_crds github.com/prometheus-operator/prometheus-operator "$operator" \
    "${operator_crds}_podmonitors.yaml" "${operator_crds}_prometheusrules.yaml"
}
[ -e "$folder/root" ] || make_root
