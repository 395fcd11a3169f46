import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { request as requestHttps } from 'node:https'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { chooseFreePort } from '../../../stack/ports.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { NotPossibleHere } from '../../harness/proof.ts'
import type { Place, TestedSource } from './sources.ts'

const START_TIMEOUT_MS = 120_000
const PORT_FIRST = 26_000
const PORTS = 1_000
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'

type Ask = (method: string, path: string, body?: object) => Promise<{ status: number }>

/** EndpointSlices on a real kube-apiserver and etcd, which `programs` contains. */
export async function startRealKubernetesSource(
  folder: string,
  programs: string,
): Promise<TestedSource> {
  const [apiServer, etcd] = [join(programs, 'kube-apiserver'), join(programs, 'etcd')]
  for (const program of [apiServer, etcd])
    if (!existsSync(program)) throw new NotPossibleHere(`there is no ${program}`)
  await using starting = new AsyncDisposableStack()
  const account = join(folder, 'account')
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const [etcdPort, peerPort] = [await chooseFreePort(port + 1), await chooseFreePort(port + 2)]
  const token = await writeAccess(folder, account)
  const children: ChildProcess[] = []
  starting.defer(async () => void (await Promise.all(children.map(end))))
  const run = (program: string, flags: readonly string[]) => {
    const started = spawn(program, flags, { stdio: 'ignore', cwd: folder })
    children.push(started)
    return started
  }
  run(etcd, flagsOfEtcd(folder, etcdPort, peerPort))
  const server = `https://127.0.0.1:${port}`
  const ask = asker(server, token)
  const startServer = async () => {
    const started = run(apiServer, flagsOfApiServer(folder, port, etcdPort))
    const isReady = async () => {
      if (started.exitCode !== null) throw new Error(`kube-apiserver ended: ${started.exitCode}`)
      return (await ask('GET', '/readyz').catch(() => undefined))?.status === 200
    }
    await waitUntil('kube-apiserver to be ready', isReady, START_TIMEOUT_MS)
    return started
  }
  let serving = await startServer()
  // It is its own authority.
  await copyFile(join(folder, 'certificates', 'apiserver.crt'), join(account, 'ca.crt'))
  const relays = starting.use(openRelays())
  const known = new Set<string>()
  const store = async (place: Place, terminating: boolean) => {
    const slice = sliceOf({ ...place, host: await relays.addressOf(place) }, terminating)
    const isKnown = known.has(place.name)
    const path = isKnown ? `${SLICES}/${place.name}` : SLICES
    const { status } = await ask(isKnown ? 'PUT' : 'POST', path, slice)
    if (status >= 300) throw new Error(`kube-apiserver answered ${status}`)
    known.add(place.name)
  }
  let used: readonly Place[] = []
  const running = starting.move()
  return {
    name: 'kubernetes',
    discover: {
      kubernetes: { service: 'engines', namespace: 'default', server, credentials_path: account },
    },
    async set(places) {
      const sentMs = performance.now()
      for (const place of places) if (!used.includes(place)) await store(place, false)
      for (const place of used) if (!places.includes(place)) await store(place, true)
      used = places
      return sentMs
    },
    breakDown: () => end(serving),
    async repair() {
      serving = await startServer()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Returns the token that the account has. */
async function writeAccess(folder: string, account: string): Promise<string> {
  const encoding = { type: 'pkcs1', format: 'pem' } as const
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: encoding,
    publicKeyEncoding: encoding,
  })
  const token = randomUUID()
  await mkdir(account)
  await writeFile(join(folder, 'sa.key'), privateKey)
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`)
  await writeFile(join(account, 'token'), token)
  return token
}

function flagsOfEtcd(folder: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]
}

function flagsOfApiServer(folder: string, port: number, etcdPort: number): string[] {
  const key = join(folder, 'sa.key')
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
  ]
}

/** Its certificate is not known before it has started; it is on this machine. */
function asker(server: string, token: string): Ask {
  return async (method, path, body) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number }>()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const options = { method, headers, rejectUnauthorized: false, agent: false } as const
    const sent = requestHttps(server + path, options, (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode ?? 0 }))
    })
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }
}

function sliceOf({ name, host, port }: Place, terminating: boolean): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': 'engines' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [host], conditions: { ready: !terminating, terminating } }],
  }
}

/** Kubernetes accepts no loopback addresses, so engines are reached through one of the machine. */
function openRelays() {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const servers = new Map<number, Server>()
  return {
    async addressOf({ host, port }: Place): Promise<string> {
      if (own === undefined) throw new NotPossibleHere('the machine has no address')
      if (servers.has(port)) return own
      const server = createServer((near) => {
        const far = connect(port, host)
        near.pipe(far).pipe(near)
        near.once('error', () => far.destroy())
        far.once('error', () => near.destroy())
      })
      servers.set(port, server)
      server.listen(port, own)
      await once(server, 'listening')
      return own
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers.values()) server.close()
    },
  }
}
