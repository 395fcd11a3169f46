import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireStack, type Service } from '../harness/service.ts'

/** Where the client tests, processes of their own in two languages, get keys and see the engine. */
export type Desk = AsyncDisposable & { readonly url: string }

/** The part of a slot of llama-server by which a test knows its own generation. */
type EngineSlot = {
  readonly is_processing: boolean
  readonly params?: { readonly n_predict: number }
  readonly next_token?: readonly { readonly n_decoded: number }[]
}

/** A limit above what engines get by default and below the model's: nobody else asks for these. */
const TOKEN_LIMIT_FIRST = 1600
const TOKEN_LIMIT_LAST = 1999

/**
 * `GET /` tells the API's root, `POST /callers/PLAN` makes an organization and its key,
 * `POST /token-limits` hands out a limit that no other request has, and
 * `GET /generations/LIMIT` says how far the engine is with the request that has it.
 */
export async function openDesk(service: Service): Promise<Desk> {
  let tokenLimit = TOKEN_LIMIT_FIRST
  const answer = async (what: string, name: string): Promise<object> => {
    if (what === 'callers') return service.createCaller(name)
    if (what === 'generations') return findGeneration(Number(name))
    if (what === 'token-limits') {
      if (tokenLimit > TOKEN_LIMIT_LAST) throw new Error('no token limit is left')
      return { tokenLimit: tokenLimit++ }
    }
    return { apiRoot: service.apiRoot }
  }
  const server = createServer((request, response) => {
    const [, what = '', name = ''] = (request.url ?? '').split('/')
    answer(what, name).then(
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

/** `busy` is whether a slot works on the request; `tokens` is how many it has generated so far. */
async function findGeneration(tokenLimit: number): Promise<{ busy: boolean; tokens: number }> {
  const { url, apiKey } = requireStack().engine
  const response = await fetch(`${url}/slots`, { headers: { authorization: `Bearer ${apiKey}` } })
  if (!response.ok) throw new Error(`the engine answered ${response.status}`)
  const slots = (await response.json()) as EngineSlot[]
  const slot = slots.find((each) => each.is_processing && each.params?.n_predict === tokenLimit)
  return { busy: slot !== undefined, tokens: slot?.next_token?.[0]?.n_decoded ?? 0 }
}
