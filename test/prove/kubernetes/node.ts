import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Start } from './cluster.ts'

const START_TIMEOUT_MS = 60_000
const KUBELET_PORT = 10_250
const PORTS_APART = 100
const PODS_MAX = 30

const run = promisify(execFile)

type NodeOptions = {
  readonly number: number
  readonly folder: string
  readonly programs: string
  readonly kubeconfig: string
  readonly start: Start
}

/** One node: a containerd with the images of `folder`, and a kubelet. Returns its name. */
export async function startNode(options: NodeOptions): Promise<string> {
  const { number, folder, programs, kubeconfig, start } = options
  const name = `node-${number}`
  const own = join(folder, name)
  mkdirSync(join(own, 'cni'), { recursive: true })
  writeFileSync(join(own, 'cni/10-bridge.conflist'), JSON.stringify(networkOf(number, own)))
  writeFileSync(join(own, 'containerd.toml'), containerdConfig(own))
  writeFileSync(join(own, 'kubelet.json'), JSON.stringify(kubeletConfig(number, own)))
  start(`containerd-${number}`, 'containerd', '--config', join(own, 'containerd.toml'))
  const ctr = (...args: string[]) =>
    run('ctr', ['--address', join(own, 'containerd.sock'), '--namespace', 'k8s.io', ...args])
  const isUp = () =>
    ctr('version').then(
      () => true,
      () => false,
    )
  await waitUntil('containerd to start', isUp, START_TIMEOUT_MS, { pollMs: 100 })
  await ctr('images', 'import', join(folder, 'pause.tar'))
  await ctr('images', 'import', join(folder, 'headrace.tar'))
  const { stdout } = await ctr('images', 'list', '--quiet')
  const image = stdout.split('\n').find((line) => line.startsWith('localhost/headrace:')) ?? ''
  // Two releases of the same program: what an upgrade does to streams does not depend on it.
  for (const tag of ['current', 'next'])
    await ctr('images', 'tag', image, `localhost/headrace:${tag}`)
  start(
    `kubelet-${number}`,
    join(programs, 'kubelet'),
    `--config=${join(own, 'kubelet.json')}`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${join(own, 'kubelet')}`,
    `--hostname-override=${name}`,
    `--node-ip=${addressOf(number)}`,
  )
  return name
}

function addressOf(number: number): string {
  return `10.99.0.${10 + number}`
}

function networkOf(number: number, own: string) {
  const ipam = {
    type: 'host-local',
    ranges: [[{ subnet: `10.244.${number}.0/24` }]],
    dataDir: join(own, 'ipam'),
  }
  const bridge = { bridge: `pods-${number}`, isDefaultGateway: true, hairpinMode: true, ipam }
  return { cniVersion: '1.0.0', name: 'pods', plugins: [{ type: 'bridge', ...bridge }] }
}

/** Without CAP_SYS_RESOURCE no score of the out-of-memory killer can be lowered. */
function containerdConfig(own: string): string {
  return `version = 2
root = "${own}/containerd"
state = "${own}/containerd-state"
[grpc]
  address = "${own}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${own}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`
}

/** Runs with cgroups of version 1, too, and leaves those of the machine alone. */
function kubeletConfig(number: number, own: string) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: addressOf(number),
    port: KUBELET_PORT + PORTS_APART * number,
    healthzPort: 0,
    // Each kubelet removes logs of pods that it does not know.
    podLogsDir: join(own, 'logs'),
    containerRuntimeEndpoint: `unix://${own}/containerd.sock`,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    resolvConf: '/etc/resolv.conf',
    maxPods: PODS_MAX,
    evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '1%' },
  }
}
