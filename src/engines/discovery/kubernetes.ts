import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import { isObject } from '../../lib/is-object.ts'
import { reasonOf, UnreadableSource, type Reporter, type Source } from './endpoint.ts'
import { endpointsOf, readSlice, type Slice } from './endpoint-slices.ts'
import { openLines, readBody, type ApiServer } from './kubernetes-api.ts'

export type KubernetesSettings = {
  readonly service: string
  readonly namespace?: string | undefined
  /** Name or number. */
  readonly port?: string | undefined
  readonly server: string
  /** Folder of the service account. */
  readonly credentials_path: string
}

const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 5_000
/** A watch is opened anew this often, so that a dead connection is noticed. */
const WATCH_SECONDS = 60

/**
 * Lists the EndpointSlices of a service, then watches them. An endpoint that is not ready, or
 * terminates, is not used any more; what runs there finishes.
 */
export function watchKubernetes(settings: KubernetesSettings, scheme: string): Source {
  return async (reporter, signal) => {
    let failures = 0
    const onRead = () => void (failures = 0)
    while (!signal.aborted) {
      try {
        await follow(settings, scheme, { reporter, onRead }, signal)
        continue
      } catch (error) {
        if (signal.aborted) return
        reporter.failed(reasonOf(error))
        failures += 1
      }
      const delayMs = exponentialBackoffMs(failures, BACKOFF_MS, BACKOFF_MS_MAX)
      await pause(delayMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}

type Following = { readonly reporter: Reporter; readonly onRead: () => void }

/** Returns when the list must be read anew. */
async function follow(
  settings: KubernetesSettings,
  scheme: string,
  { reporter, onRead }: Following,
  signal: AbortSignal,
): Promise<void> {
  const server = await readAccount(settings)
  const path = await pathOf(settings)
  const listed = JSON.parse(await readBody(server, path, signal)) as unknown
  const slices = new Map<string, Slice>()
  for (const item of itemsOf(listed)) keep(slices, 'ADDED', item)
  let version = versionOf(listed)
  const tell = () => reporter.found(endpointsOf([...slices.values()], settings.port, scheme))
  tell()
  onRead()
  while (!signal.aborted) {
    const query = `&watch=1&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}`
    const watching = `${path}${query}&resourceVersion=${encodeURIComponent(version)}`
    // The token of a service account is replaced about every hour.
    const current = await readAccount(settings)
    for await (const line of openLines(current, watching, WATCH_SECONDS * 1000, signal)) {
      const { type, object } = eventOf(line)
      // The version is too old, or the server says why it cannot go on.
      if (type === 'ERROR') return
      version = versionOf(object)
      if (type === 'BOOKMARK') continue
      keep(slices, type, object)
      tell()
    }
  }
}

function keep(slices: Map<string, Slice>, type: string, object: unknown): void {
  const slice = readSlice(object)
  if (slice === undefined) throw new UnreadableSource('the API server sent no EndpointSlice')
  if (type === 'DELETED') slices.delete(slice.name)
  else slices.set(slice.name, slice)
}

async function readAccount({ server, credentials_path: folder }: KubernetesSettings) {
  const optional = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined)
  const [token, ca] = await Promise.all([optional('token'), optional('ca.crt')])
  return { url: server, token: token?.trim(), ca } satisfies ApiServer
}

async function pathOf(settings: KubernetesSettings): Promise<string> {
  const file = join(settings.credentials_path, 'namespace')
  const namespace = settings.namespace ?? (await readFile(file, 'utf8')).trim()
  const selector = encodeURIComponent(`kubernetes.io/service-name=${settings.service}`)
  const slices = `namespaces/${encodeURIComponent(namespace)}/endpointslices`
  return `/apis/discovery.k8s.io/v1/${slices}?labelSelector=${selector}`
}

function eventOf(line: string): { readonly type: string; readonly object: unknown } {
  const event: unknown = JSON.parse(line)
  if (!isObject(event) || typeof event['type'] !== 'string')
    throw new UnreadableSource('the API server sent no watch event')
  return { type: event['type'], object: event['object'] }
}

function itemsOf(list: unknown): readonly unknown[] {
  const items = isObject(list) ? list['items'] : undefined
  if (!Array.isArray(items)) throw new UnreadableSource('the API server sent no list')
  return items
}

function versionOf(object: unknown): string {
  const metadata = isObject(object) ? object['metadata'] : undefined
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined
  if (typeof version !== 'string') throw new UnreadableSource('an object has no resourceVersion')
  return version
}
