import type { ModelList } from '../contract/model.ts'
import type { Call } from '../http/call.ts'
import { admit, type Admission } from './admit.ts'
import { announcedModel, availableModels, findModel } from './catalog.ts'
import type { InferenceDeps } from './chat-completion.ts'
import { identify, identifyAgain } from './identify.ts'
import { modelNotFound } from './validate.ts'

/** GET /models */
export async function listModels(call: Call, deps: InferenceDeps): Promise<void> {
  const { caller } = await identifyAndAdmit(call, deps)
  const data = availableModels(caller, deps.catalog, Date.now())
  respond(call, { object: 'list', data } satisfies ModelList)
}

/** GET /models/{model}. Slashes in the id may be percent-encoded or not. */
export async function retrieveModel(
  call: Call,
  encodedId: string,
  deps: InferenceDeps,
): Promise<void> {
  const { caller } = await identifyAndAdmit(call, deps)
  const served = findModel(decodeId(encodedId), caller, deps.catalog, Date.now())
  if (served === undefined) throw modelNotFound()
  respond(call, announcedModel(served, caller))
}

/** For an operation that counts as one request and uses no tokens. */
export async function identifyAndAdmit(call: Call, deps: InferenceDeps): Promise<Admission> {
  const identified = await identify(call, 'other', deps.accounts)
  let admission = await admit(call, identified, null, 0, deps)
  while (admission.kind === 'stale') {
    const again = await identifyAgain(call, 'other', admission, deps)
    admission = await admit(call, again, null, 0, deps)
  }
  return admission
}

/** Decodes exactly once. The empty string, for invalid encoding, is no model's id. */
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
