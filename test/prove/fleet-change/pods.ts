import { startKubernetesApi } from '../../harness/servers/kubernetes-api.ts'
import type { Server } from './servers.ts'

/** Servers as pods of a service with an IPv4 and an IPv6 address each: two slices for one pod. */
export type Pods = AsyncDisposable & {
  readonly servers: readonly Server[]
  /** How processes find them. */
  readonly discover: object
  add(server: Server): void
  remove(server: Server): void
}

/** Two addresses of one socket: the second is the first, written as an IPv6 address. */
const FOUR = '127.0.0.1'
const SIX = '::ffff:127.0.0.1'

/** The folder of the account has no token: the API server asks for none. */
export async function startPods(first: readonly Server[], account: string): Promise<Pods> {
  const api = await startKubernetesApi()
  const servers = new Set<Server>()
  const portOf = ({ engine }: Server) => Number(new URL(engine.url).port)
  const add = (server: Server) => {
    servers.add(server)
    const port = portOf(server)
    api.set(`four-${port}`, port, { address: FOUR, family: 'IPv4', uid: `${port}` })
    api.set(`six-${port}`, port, { address: SIX, family: 'IPv6', uid: `${port}` })
  }
  for (const server of first) add(server)
  return {
    get servers() {
      return [...servers]
    },
    discover: {
      kubernetes: {
        service: 'engines',
        namespace: 'default',
        server: api.url,
        credentials_path: account,
      },
    },
    add,
    remove(server) {
      servers.delete(server)
      api.remove(`six-${portOf(server)}`)
      api.remove(`four-${portOf(server)}`)
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
