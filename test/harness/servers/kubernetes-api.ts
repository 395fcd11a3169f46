import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An endpoint of a slice, as a test writes it. */
export type SliceEndpoint = {
  readonly address: string
  readonly ready?: boolean
  readonly terminating?: boolean
  /** Of the pod and of the address, for a pod that has addresses of both families. */
  readonly uid?: string
  readonly family?: 'IPv4' | 'IPv6'
}

/**
 * Speaks the list and watch protocol of a Kubernetes API server for EndpointSlices of one service,
 * with one endpoint per slice, since each engine of a test has a port of its own.
 */
export type KubernetesApi = AsyncDisposable & {
  readonly url: string
  /** Sets a slice, and tells those who watch. */
  set(name: string, port: number, endpoint: SliceEndpoint): void
  remove(name: string): void
  /** Ends every watch; with `expired`, the next one is told that its version is too old. */
  endWatches(expired?: boolean): void
  /** Answers every request with this status from now on; 200 ends that. */
  answerWith(status: number): void
  /** How often it was asked for a list and for a watch. */
  counts(): { readonly lists: number; readonly watches: number }
  /** The header of the last request. */
  authorization(): string | undefined
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  const slices = new Map<string, object>()
  const watchers = new Set<ServerResponse>()
  let [version, status, lists, watches, expired] = [1, 200, 0, 0, false]
  let authorization: string | undefined
  /** In order, so that a watch begins after the version that its list had. */
  const events: { readonly version: number; readonly line: string }[] = []
  const tell = (type: string, object: object) => {
    const line = `${JSON.stringify({ type, object })}\n`
    events.push({ version, line })
    for (const watcher of watchers) watcher.write(line)
  }
  const server = createServer((request, response) => {
    authorization = request.headers.authorization
    if (status !== 200) return response.writeHead(status).end('{}')
    response.writeHead(200, { 'content-type': 'application/json' })
    if (!(request.url ?? '').includes('watch=1')) {
      lists += 1
      const metadata = { resourceVersion: `${version}` }
      return response.end(JSON.stringify({ metadata, items: [...slices.values()] }))
    }
    watches += 1
    response.flushHeaders()
    watchers.add(response)
    response.once('close', () => watchers.delete(response))
    const since = Number(/resourceVersion=(\d+)/.exec(request.url ?? '')?.[1])
    for (const event of events) if (event.version > since) response.write(event.line)
    if (expired) {
      expired = false
      const object = { kind: 'Status', code: 410 }
      response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`)
    }
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(name, port, { address, ready = true, terminating = false, uid, family }) {
      const type = slices.has(name) ? 'MODIFIED' : 'ADDED'
      version += 1
      const conditions = { ready, terminating }
      const slice = {
        ...sliceOf(name, version, port),
        ...(family !== undefined && { addressType: family }),
        endpoints: [{ addresses: [address], conditions, ...(uid && { targetRef: { uid } }) }],
      }
      slices.set(name, slice)
      tell(type, slice)
    },
    remove(name) {
      const slice = slices.get(name)
      if (slice === undefined) return
      slices.delete(name)
      version += 1
      tell('DELETED', { ...slice, ...sliceOf(name, version) })
    },
    endWatches(asExpired = false) {
      expired = asExpired
      for (const watcher of watchers) watcher.end()
    },
    answerWith: (next) => void (status = next),
    counts: () => ({ lists, watches }),
    authorization: () => authorization,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

function sliceOf(name: string, version: number, port?: number): object {
  const metadata = { name, resourceVersion: `${version}` }
  return port === undefined ? { metadata } : { metadata, ports: [{ name: 'http', port }] }
}
