import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import { chatCompletion, type InferenceDeps } from './chat-completion.ts'
import { identifyAndAdmit, listModels, retrieveModel } from './models.ts'
import { noteRefusal } from './note-refusal.ts'
import { traceRequest } from './tracing/trace-requests.ts'

/**
 * The three operations. Any other path below the API root is rejected after identification and
 * admission: an unknown caller gets 401, and rate limits apply.
 */
export function createHandler(apiRoot: string, deps: InferenceDeps): (call: Call) => Promise<void> {
  const handle = async (call: Call) => {
    const path = pathOf(call)
    if (path !== apiRoot && !path.startsWith(`${apiRoot}/`)) throw unsupportedEndpoint()
    const below = path.slice(apiRoot.length)
    if (below === '/chat/completions')
      await allowOnly('POST', call, deps, () =>
        traceRequest(call, deps.tracing, (trace) => chatCompletion(call, deps, trace)),
      )
    else if (below === '/models') await allowOnly('GET', call, deps, () => listModels(call, deps))
    else if (below.startsWith('/models/') && below.length > '/models/'.length)
      await allowOnly('GET', call, deps, () =>
        retrieveModel(call, below.slice('/models/'.length), deps),
      )
    else {
      await identifyAndAdmit(call, deps)
      throw unsupportedEndpoint()
    }
  }
  return async (call) => {
    try {
      await handle(call)
    } catch (error) {
      noteRefusal(call, error, deps.refusals)
      throw error
    }
  }
}

async function allowOnly(
  method: string,
  call: Call,
  deps: InferenceDeps,
  operation: () => Promise<void>,
): Promise<void> {
  if (call.request.method === method) {
    await operation()
    return
  }
  await identifyAndAdmit(call, deps)
  throw new ApiError('unsupported_method', `This endpoint supports ${method} only.`, {
    headers: { allow: method },
  })
}

/** The path as sent, not normalized: proxies in front of this server compared the same text. */
function pathOf({ request }: Call): string {
  const target = request.url ?? ''
  if (!target.startsWith('/'))
    throw new ApiError('malformed_http', 'The request target must be a path.')
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

function unsupportedEndpoint(): ApiError {
  return new ApiError(
    'unsupported_endpoint',
    'This endpoint does not exist. Supported: chat completions, list models, retrieve a model.',
  )
}
