import type { ModelList } from '../contract/model.ts'
import type { Call } from '../http/call.ts'
import { admit } from './admit.ts'
import { findModel, listModels } from './catalog.ts'
import type { InferenceDeps } from './chat-completion.ts'
import { identify } from './identify.ts'
import { modelNotFound } from './validate.ts'

/** GET /models */
export async function listOfModels(call: Call, deps: InferenceDeps): Promise<void> {
  const { caller } = await enter(call, deps)
  const data = listModels(caller, deps.catalog, Date.now())
  respond(call, { object: 'list', data } satisfies ModelList)
}

/** GET /models/{model}. The id may hold slashes, as they are or encoded. */
export async function oneModel(call: Call, encodedId: string, deps: InferenceDeps): Promise<void> {
  const { caller } = await enter(call, deps)
  const served = findModel(decodeId(encodedId), caller, deps.catalog, Date.now())
  if (served === undefined) throw modelNotFound()
  respond(call, served.model)
}

/** Identifies and admits a request that costs one request and no tokens. */
export async function enter(call: Call, deps: InferenceDeps) {
  const who = (bypassCache: boolean) => identify(call, 'other', deps.accounts, bypassCache)
  const entry = { requestId: call.id, inputTokens: 0, countsTokens: false, opens: () => null }
  const admission = await admit(await who(false), entry, deps, () => who(true))
  Object.assign(call.headers, admission.headers)
  return admission
}

/** Decoded exactly once. What does not decode, or is still encoded then, is no id of ours. */
function decodeId(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return ''
  }
}

function respond({ response, headers }: Call, value: object): void {
  const body = Buffer.from(JSON.stringify(value))
  headers['content-type'] = 'application/json'
  headers['content-length'] = body.length
  response.writeHead(200, headers)
  response.end(body)
}
