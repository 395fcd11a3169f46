import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDnsServer, type DnsServer } from '../../harness/servers/dns.ts'
import { startKubernetesApi } from '../../harness/servers/kubernetes-api.ts'

/** An engine that a source can name. */
export type Place = { readonly name: string; readonly host: string; readonly port: number }

/** One way in which processes learn of engines. */
export type TestedSource = AsyncDisposable & {
  readonly name: string
  /** Of a group in headrace.yaml. */
  readonly discover: object
  /** Changes the engines; resolves to the moment at which a reader could know them. */
  set(places: readonly Place[]): Promise<number>
  /** Makes it unreadable, and readable again with the same engines. */
  breakDown(): Promise<void>
  repair(): Promise<void>
}

export async function startDnsSource(): Promise<TestedSource> {
  const server = await startDnsServer()
  const name = '_http._tcp.engines.test'
  let current: DnsServer['records'] extends Map<string, infer Records> ? Records : never = []
  const answered = () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    server.onAnswer = () => resolve(performance.now())
    return promise
  }
  return {
    name: 'dns',
    discover: { dns: { name, servers: [server.address] } },
    async set(places) {
      current = places.map(({ host, port }) => ({ srv: host, port }))
      server.records.set(name, current)
      return answered()
    },
    async breakDown() {
      server.records.set(name, 'fail')
      await answered()
    },
    async repair() {
      server.records.set(name, current)
      await answered()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export async function startFileSource(folder: string): Promise<TestedSource> {
  const path = join(folder, 'engines.d')
  const file = join(path, 'engines.yaml')
  await mkdir(path)
  let text = 'engines: []'
  const write = async (content: string) => {
    await writeFile(`${file}.new`, content)
    await rename(`${file}.new`, file)
    return performance.now()
  }
  return {
    name: 'file',
    discover: { file: { path } },
    set(places) {
      const engines = places.map(({ host, port }) => ({ url: `http://${host}:${port}` }))
      text = JSON.stringify({ engines })
      return write(text)
    },
    breakDown: () => rm(file),
    async repair() {
      await write(text)
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** A scripted API server that speaks the list and watch protocol. */
export async function startKubernetesSource(folder: string): Promise<TestedSource> {
  const api = await startKubernetesApi()
  const known = new Map<string, Place>()
  return {
    name: 'kubernetes',
    discover: {
      kubernetes: {
        service: 'engines',
        namespace: 'default',
        server: api.url,
        credentials_path: folder,
      },
    },
    async set(places) {
      for (const place of places) {
        if (!known.has(place.name)) api.set(place.name, place.port, { address: place.host })
        known.set(place.name, place)
      }
      const ended = [...known.values()].filter((place) => !places.includes(place))
      // First it terminates; it is deleted when its pod has ended.
      for (const { name, port, host } of ended) {
        api.set(name, port, { address: host, terminating: true })
        known.delete(name)
      }
      return performance.now()
    },
    async breakDown() {
      api.answerWith(500)
      api.endWatches()
    },
    async repair() {
      api.answerWith(200)
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
