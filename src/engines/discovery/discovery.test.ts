import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startDnsServer } from '../../../test/harness/servers/dns.ts'
import { startKubernetesApi } from '../../../test/harness/servers/kubernetes-api.ts'
import { startDiscovery, type Discovery, type GroupSettings } from './discovery.ts'
import { readDns } from './dns.ts'
import type { Endpoint, Source } from './endpoint.ts'
import { endpointsOf, readSlice } from './endpoint-slices.ts'
import { readFiles } from './file.ts'
import { watchKubernetes } from './kubernetes.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
/** Changes must be found by being told of them, not by reading again. */
const NEVER_MS = 600_000

const folder = await mkdtemp(join(tmpdir(), 'headrace-discovery-'))
after(() => rm(folder, { recursive: true }))

/** What a source tells, one thing after the other. */
function follow(source: Source) {
  const ending = new AbortController()
  const told: string[] = []
  let wake = Promise.withResolvers<void>()
  const tell = (what: string) => {
    told.push(what)
    wake.resolve()
  }
  const found = (endpoints: readonly Endpoint[]) =>
    tell(endpoints.map(({ url }) => url.replace('http://', '')).join(' '))
  const ended = source({ found, failed: (reason) => tell(`failed: ${reason}`) }, ending.signal)
  return {
    async next(): Promise<string> {
      while (told.length === 0) {
        await wake.promise
        wake = Promise.withResolvers()
      }
      return told.shift() ?? ''
    },
    /** The first thing of this form, whatever else is told before. */
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(await this.next()));
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await ended
    },
  }
}

test('dns: addresses with a port, targets of SRV records without', async () => {
  await using server = await startDnsServer()
  const servers = [server.address]
  server.records.set('engines.test', [{ a: '10.0.0.1' }, { a: '10.0.0.2' }])
  server.records.set('_http._tcp.test', [{ srv: 'one.test', port: 8001 }])
  await using addresses = follow(readDns({ name: 'engines.test', port: 80, servers }, 'http', 1))
  assert.equal(await addresses.next(), '10.0.0.1:80 10.0.0.2:80')
  await using targets = follow(readDns({ name: '_http._tcp.test', servers }, 'http', 1))
  assert.equal(await targets.next(), 'one.test:8001')
  server.records.set('_http._tcp.test', [{ srv: 'two.test', port: 8002 }])
  await targets.until(/^two\.test:8002$/)
})

test('dns: a failing server and a name without records do not empty the group', async () => {
  await using server = await startDnsServer()
  const servers = [server.address]
  const source = readDns({ name: 'engines.test', port: 80, servers }, 'http', 1)
  await using reading = follow(source)
  assert.equal(await reading.next(), 'failed: the name has no address')
  server.records.set('engines.test', 'fail')
  await reading.until(/^failed: ESERVFAIL$/)
  server.records.set('engines.test', [{ a: '10.0.0.1' }])
  await reading.until(/^10\.0\.0\.1:80$/)
})

test('file: a file that is replaced is read again at once', async () => {
  const file = join(folder, 'engines.yaml')
  await writeFile(file, 'engines: [{ url: http://a:1 }]')
  await using reading = follow(readFiles(file, NEVER_MS))
  assert.equal(await reading.next(), 'a:1')
  await writeFile(`${file}.new`, 'engines: [{ url: http://b:1, slots: 3 }]')
  await rename(`${file}.new`, file)
  await reading.until(/^b:1$/)
})

test('file: a folder is the union of its files, and one that cannot be read fails it', async () => {
  const path = await mkdtemp(join(folder, 'engines-'))
  await using reading = follow(readFiles(path, NEVER_MS))
  assert.equal(await reading.next(), 'failed: the folder has no YAML file')
  await writeFile(join(path, 'a.yaml'), 'engines: [{ url: http://a:1 }]')
  await reading.until(/^a:1$/)
  await writeFile(join(path, 'b.yaml'), 'engines: [{ url: http://b:1 }]')
  await reading.until(/^a:1 b:1$/)
  for (const [text, reason] of [
    ['', 'a file is not a list of engines'],
    ['engines: [', 'a file is not valid YAML'],
    ['engines: [{ url: "file:///etc/passwd" }]', 'a file is not a list of engines'],
    ['engines: [{ url: http://b:1, key: x }]', 'a file is not a list of engines'],
  ]) {
    await writeFile(join(path, 'b.yaml'), text ?? '')
    await reading.until(new RegExp(`^failed: ${reason}$`))
  }
  await rm(join(path, 'b.yaml'))
  await reading.until(/^a:1$/)
})

test('dns: a server with addresses of both families is one engine', async () => {
  await using server = await startDnsServer()
  const servers = [server.address]
  const six = { aaaa: 'fd00:0:0:0:0:0:0:1' }
  server.records.set('both.test', [six, { a: '10.0.0.1' }])
  server.records.set('six.test', [six])
  await using both = follow(readDns({ name: 'both.test', port: 80, servers }, 'http', 1))
  assert.equal(await both.next(), '10.0.0.1:80')
  await using only = follow(readDns({ name: 'six.test', port: 80, servers }, 'http', 1))
  assert.equal(await only.next(), '[fd00::1]:80')
})

/** A slice of a service, with a pod for each address. */
function sliceOf(name: string, addressType: string, addresses: readonly string[], uid = 'pod') {
  const endpoints = addresses.map((address, index) => ({
    addresses: [address],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', uid: `${uid}-${index}` },
  }))
  const slice = readSlice({ metadata: { name }, addressType, ports: [{ port: 8000 }], endpoints })
  assert.ok(slice !== undefined)
  return slice
}

test('kubernetes: a pod with addresses of both families, or in two slices, is one engine', () => {
  const four = sliceOf('four', 'IPv4', ['10.244.1.5', '10.244.2.6'])
  const six = sliceOf('six', 'IPv6', ['fd00:10:244:1::5', 'fd00:10:244:2::6'])
  const moved = sliceOf('moved', 'IPv4', ['10.244.1.5'])
  const found = (slices: Parameters<typeof endpointsOf>[0]) =>
    endpointsOf(slices, undefined, 'http').map(({ url }) => url)
  const expected = ['http://10.244.1.5:8000', 'http://10.244.2.6:8000']
  assert.deepEqual(found([six, four, moved]), expected)
  assert.deepEqual(found([six, sliceOf('four', 'IPv4', [])]), [
    'http://[fd00:10:244:1::5]:8000',
    'http://[fd00:10:244:2::6]:8000',
  ])
})

test('kubernetes: endpoints serve while they are ready and do not terminate', async () => {
  await using api = await startKubernetesApi()
  await writeFile(join(folder, 'token'), 'secret\n')
  await writeFile(join(folder, 'namespace'), 'here\n')
  const settings = { service: 'engines', server: api.url, credentials_path: folder }
  api.set('one', 8001, { address: '10.0.0.1' })
  await using watching = follow(watchKubernetes(settings, 'http'))
  assert.equal(await watching.next(), '10.0.0.1:8001')
  assert.equal(api.authorization(), 'Bearer secret')
  api.set('two', 8002, { address: '10.0.0.2', ready: false })
  assert.equal(await watching.next(), '10.0.0.1:8001')
  api.set('two', 8002, { address: '10.0.0.2' })
  assert.equal(await watching.next(), '10.0.0.1:8001 10.0.0.2:8002')
  api.set('one', 8001, { address: '10.0.0.1', terminating: true })
  assert.equal(await watching.next(), '10.0.0.2:8002')
  api.remove('one')
  assert.equal(await watching.next(), '10.0.0.2:8002')
})

test('kubernetes: a watch that ends goes on, and one that is too old begins anew', async () => {
  await using api = await startKubernetesApi()
  const settings = { service: 'engines', namespace: 'x', server: api.url, credentials_path: folder }
  api.set('one', 8001, { address: '10.0.0.1' })
  await using watching = follow(watchKubernetes(settings, 'http'))
  assert.equal(await watching.next(), '10.0.0.1:8001')
  await waitFor(() => api.counts().watches === 1)
  api.endWatches()
  await waitFor(() => api.counts().watches === 2)
  api.set('one', 8001, { address: '10.0.0.9' })
  assert.equal(await watching.next(), '10.0.0.9:8001')
  assert.equal(api.counts().lists, 1)
  api.endWatches(true)
  assert.equal(await watching.next(), '10.0.0.9:8001')
  assert.equal(api.counts().lists, 2)
  api.answerWith(403)
  api.endWatches()
  assert.equal(await watching.next(), 'failed: the API server answered 403')
  api.answerWith(200)
  await watching.until(/^10\.0\.0\.9:8001$/)
})

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

function fileGroup(path: string): GroupSettings {
  return { name: 'group', scheme: 'http', file: { path } }
}

function urlsOf(discovery: Discovery): readonly string[] | undefined {
  return discovery
    .found()
    .get('group')
    ?.map(({ url }) => url)
}

test('a source that cannot be read keeps the last known engines, and says so', async () => {
  const file = join(folder, 'kept.yaml')
  let changes = 0
  const discovery = startDiscovery(() => (changes += 1), SILENT)
  discovery.follow([fileGroup(file)])
  await discovery.settled()
  assert.equal(urlsOf(discovery), undefined)
  assert.deepEqual(discovery.states()['group'], {
    readable: false,
    reason: 'ENOENT',
    engines: null,
  })
  await writeFile(file, 'engines: [{ url: http://b:1 }, { url: http://a:1 }, { url: http://b:1 }]')
  await waitFor(() => changes === 1)
  assert.deepEqual(urlsOf(discovery), ['http://a:1', 'http://b:1'])
  await rm(file)
  await waitFor(() => discovery.states()['group']?.readable === false)
  assert.deepEqual(urlsOf(discovery), ['http://a:1', 'http://b:1'])
  discovery.close()
})

test('a group with more engines than the bound keeps the last known ones', async () => {
  const path = await mkdtemp(join(folder, 'many-'))
  const list = (name: string, count: number) => {
    const engines = Array.from({ length: count }, (_, index) => ({
      url: `http://${name}${index}:1`,
    }))
    return writeFile(join(path, `${name}.yaml`), JSON.stringify({ engines }))
  }
  await list('a', 1_000)
  const discovery = startDiscovery(() => undefined, SILENT)
  discovery.follow([fileGroup(path)])
  await discovery.settled()
  assert.equal(urlsOf(discovery)?.length, 1_000)
  await list('b', 1)
  await waitFor(() => discovery.states()['group']?.reason === 'more than 1000 engines')
  assert.equal(urlsOf(discovery)?.length, 1_000)
  discovery.close()
})

test('a group whose source changes keeps its engines until the new source was read', async () => {
  const file = join(folder, 'first.yaml')
  await writeFile(file, 'engines: [{ url: http://a:1 }]')
  const discovery = startDiscovery(() => undefined, SILENT)
  discovery.follow([fileGroup(file)])
  await discovery.settled()
  discovery.follow([fileGroup(join(folder, 'none.yaml'))])
  await discovery.settled()
  assert.deepEqual(urlsOf(discovery), ['http://a:1'])
  assert.equal(discovery.states()['group']?.readable, false)
  discovery.follow([])
  assert.deepEqual(discovery.states(), {})
  discovery.close()
})
