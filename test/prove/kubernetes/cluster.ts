// A real Kubernetes with two nodes, for a process inside the namespaces of `enter.sh`.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitUntil } from '../../harness/figures/measure.ts'
import { startNode } from './node.ts'

/** The address at which pods reach the servers of the proof. */
export const HOST = '10.99.0.1'
const NODES = 2
const START_TIMEOUT_MS = 120_000
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024
const API_SERVER = 'https://127.0.0.1:6443'
const ETCD = 'http://127.0.0.1:2379'

export type Folders = {
  /** Programs of Kubernetes, and helm. */
  readonly programs: string
  /** Everything that a run writes. */
  readonly run: string
}

/** Starts a program that runs until the namespaces end; its output is a file. */
export type Start = (name: string, command: string, ...args: string[]) => void

export type Cluster = {
  readonly nodes: readonly string[]
  /** Runs a command to its end; rejects if it fails. Returns what it printed. */
  readonly kubectl: (...args: string[]) => Promise<string>
  readonly helm: (...args: string[]) => Promise<string>
}

const run = promisify(execFile)

export async function startCluster({ programs, run: folder }: Folders): Promise<Cluster> {
  const logs = join(folder, 'log')
  mkdirSync(logs, { recursive: true })
  const start: Start = (name, command, ...args) => {
    const log = openSync(join(logs, `${name}.log`), 'w')
    spawn(command, args, { stdio: ['ignore', log, log], cwd: folder }).unref()
    closeSync(log)
  }
  const kubeconfig = join(folder, 'kubeconfig')
  const ask = async (program: string, args: readonly string[]) => {
    const options = { maxBuffer: OUTPUT_BYTES_MAX }
    const own = [`--kubeconfig=${kubeconfig}`, ...args]
    const { stdout } = await run(join(programs, program), own, options)
    return stdout.trim()
  }
  const kubectl = (...args: string[]) => ask('kubectl', args)
  const printedBy = (...args: string[]) => kubectl(...args).catch(() => '')
  createNetwork()
  writeAccess(folder, kubeconfig)
  start('etcd', 'etcd', ...flagsOfEtcd(folder))
  start('kube-apiserver', join(programs, 'kube-apiserver'), ...flagsOfApiServer(folder))
  await reached(
    'the API server to be ready',
    async () => (await printedBy('get', '--raw', '/readyz')) === 'ok',
  )
  const common = [`--kubeconfig=${kubeconfig}`]
  const elected = [...common, '--leader-elect=false', '--secure-port=0']
  const signing = `--service-account-private-key-file=${join(folder, 'sa.key')}`
  start('kube-controller-manager', join(programs, 'kube-controller-manager'), ...elected, signing)
  start('kube-scheduler', join(programs, 'kube-scheduler'), ...elected)
  const numbers = Array.from({ length: NODES }, (_, index) => index + 1)
  const nodes = await Promise.all(
    numbers.map((number) => startNode({ number, folder, programs, kubeconfig, start })),
  )
  const condition = '-o=jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'
  const ready = Array.from(nodes, () => 'True').join(' ')
  await reached(
    'the nodes to be ready',
    async () => (await printedBy('get', 'nodes', condition)) === ready,
  )
  start('kube-proxy', join(programs, 'kube-proxy'), ...common, ...FLAGS_OF_PROXY)
  return { nodes, kubectl, helm: (...args) => ask('helm', args) }
}

async function reached(what: string, holds: () => Promise<boolean>): Promise<void> {
  await waitUntil(what, holds, START_TIMEOUT_MS, { pollMs: 200 })
}

/** One address for each node, on a bridge without a way out. */
function createNetwork(): void {
  const ip = (...args: string[]) => execFileSync('/usr/sbin/ip', args)
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', 'eth0', 'type', 'bridge')
  ip('address', 'add', `${HOST}/24`, 'dev', 'eth0')
  for (let node = 1; node <= NODES; node += 1)
    ip('address', 'add', `10.99.0.${10 + node}/24`, 'dev', 'eth0')
  ip('link', 'set', 'eth0', 'up')
  // The addresses of Services are translated before a packet leaves, but it needs a way first.
  ip('route', 'add', 'default', 'dev', 'eth0')
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
}

function writeAccess(folder: string, kubeconfig: string): void {
  const encoding = { type: 'pkcs1', format: 'pem' } as const
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: encoding,
    publicKeyEncoding: encoding,
  })
  writeFileSync(join(folder, 'sa.key'), privateKey)
  const token = crypto.randomUUID()
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'proof', cluster: { server: API_SERVER, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'proof', context: { cluster: 'proof', user: 'admin' } }],
    'current-context': 'proof',
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
}

function flagsOfEtcd(folder: string): string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--unsafe-no-fsync',
    '--log-level=error',
  ]
}

function flagsOfApiServer(folder: string): string[] {
  const key = join(folder, 'sa.key')
  return [
    `--etcd-servers=${ETCD}`,
    '--secure-port=6443',
    `--cert-dir=${join(folder, 'certs')}`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    `--advertise-address=${HOST}`,
    '--kubelet-preferred-address-types=InternalIP',
  ]
}

/** One for both nodes, because they share a network namespace. It may not change kernel limits. */
const FLAGS_OF_PROXY = [
  '--proxy-mode=nftables',
  '--hostname-override=node-1',
  '--cluster-cidr=10.244.0.0/16',
  '--conntrack-max-per-core=0',
  '--conntrack-tcp-timeout-established=0',
  '--conntrack-tcp-timeout-close-wait=0',
]
