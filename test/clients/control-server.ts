import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireStack, type Service } from '../harness/processes/service.ts'

/** Gives keys and the state of the engine to the client tests, which are separate processes. */
export type ControlServer = AsyncDisposable & { readonly url: string }

/** The part of a llama-server slot that identifies a test's generation. */
type EngineSlot = {
  readonly is_processing: boolean
  readonly params?: { readonly n_predict: number }
  readonly next_token?: readonly { readonly n_decoded: number }[]
}

/** Above the default output limit and below the model's: no other request uses these limits. */
const TOKEN_LIMIT_FIRST = 1600
const TOKEN_LIMIT_LAST = 1999

/**
 * `GET /` returns the API root, `POST /callers/PLAN` creates an organization with a key,
 * `POST /token-limits` returns a token limit that no other request has, and
 * `GET /generations/LIMIT` returns the progress of the request with that limit.
 */
export async function startControlServer(service: Service): Promise<ControlServer> {
  let tokenLimit = TOKEN_LIMIT_FIRST
  const handle = async (resource: string, name: string): Promise<object> => {
    if (resource === 'callers') return service.createCaller(name)
    if (resource === 'generations') return findGeneration(Number(name))
    if (resource === 'token-limits') {
      if (tokenLimit > TOKEN_LIMIT_LAST) throw new Error('no token limit is left')
      return { tokenLimit: tokenLimit++ }
    }
    return { apiRoot: service.apiRoot }
  }
  const server = createServer((request, response) => {
    const [, resource = '', name = ''] = (request.url ?? '').split('/')
    handle(resource, name).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** `busy`: whether a slot runs the request; `tokens`: how many it has generated so far. */
async function findGeneration(tokenLimit: number): Promise<{ busy: boolean; tokens: number }> {
  const { url, apiKey } = requireStack().engine
  const response = await fetch(`${url}/slots`, { headers: { authorization: `Bearer ${apiKey}` } })
  if (!response.ok) throw new Error(`the engine responded with ${response.status}`)
  const slots = (await response.json()) as EngineSlot[]
  const slot = slots.find((each) => each.is_processing && each.params?.n_predict === tokenLimit)
  return { busy: slot !== undefined, tokens: slot?.next_token?.[0]?.n_decoded ?? 0 }
}
