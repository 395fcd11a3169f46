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
  // Not async: every suspended function of an open stream takes half a kilobyte.
  const handle = (call: Call): Promise<void> => {
    const path = pathOf(call)
    if (path !== apiRoot && !path.startsWith(`${apiRoot}/`)) throw unsupportedEndpoint()
    const below = path.slice(apiRoot.length)
    if (below === '/chat/completions')
      return allowOnly('POST', call, deps, () =>
        traceRequest(call, deps.tracing, (trace) => chatCompletion(call, deps, trace)),
      )
    if (below === '/models') return allowOnly('GET', call, deps, () => listModels(call, deps))
    if (below.startsWith('/models/') && below.length > '/models/'.length)
      return allowOnly('GET', call, deps, () =>
        retrieveModel(call, below.slice('/models/'.length), deps),
      )
    return rejectAdmitted(call, deps, unsupportedEndpoint())
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

function allowOnly(
  method: string,
  call: Call,
  deps: InferenceDeps,
  operation: () => Promise<void>,
): Promise<void> {
  if (call.request.method === method) return operation()
  const message = `This endpoint supports ${method} only.`
  const error = new ApiError('unsupported_method', message, { headers: { allow: method } })
  return rejectAdmitted(call, deps, error)
}

async function rejectAdmitted(call: Call, deps: InferenceDeps, error: ApiError): Promise<void> {
  await identifyAndAdmit(call, deps)
  throw error
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
