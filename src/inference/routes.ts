import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import { chatCompletion, type InferenceDeps } from './chat-completion.ts'
import { identifyAndAdmit, listModels, retrieveModel } from './models.ts'
import { noteRefusal } from './note-refusal.ts'
import { traceRequest } from './tracing/trace-requests.ts'

/** Interfaces that clients can be configured for instead of chat completions. */
const OTHER_INTERFACES: Readonly<Record<string, string>> = {
  '/responses': 'The Responses API is',
  '/completions': 'Completions of a plain text are',
  '/messages': 'The Messages API is',
  '/embeddings': 'Embeddings are',
}

/**
 * The three operations. Any other path below the API root is rejected after identification and
 * admission: an unknown caller gets 401, and rate limits apply.
 */
export function createHandler(apiRoot: string, deps: InferenceDeps): (call: Call) => Promise<void> {
  // Not async: every suspended function of an open stream takes half a kilobyte.
  const handle = (call: Call): Promise<void> => {
    const path = pathOf(call)
    if (path !== apiRoot && !path.startsWith(`${apiRoot}/`))
      throw unsupportedEndpoint(apiRoot, path)
    const below = path.slice(apiRoot.length)
    if (below === '/chat/completions')
      return serve('POST /chat/completions', call, deps, () =>
        traceRequest(call, deps.tracing, (trace) => chatCompletion(call, deps, trace)),
      )
    if (below === '/models') return serve('GET /models', call, deps, () => listModels(call, deps))
    if (below.startsWith('/models/') && below.length > '/models/'.length)
      return serve('GET /models/{model}', call, deps, () =>
        retrieveModel(call, below.slice('/models/'.length), deps),
      )
    return rejectAdmitted(call, deps, unsupportedEndpoint(apiRoot, path))
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

/** `name` is the method and the path of the operation. */
function serve(
  name: `${'GET' | 'POST'} /${string}`,
  call: Call,
  deps: InferenceDeps,
  operation: () => Promise<void>,
): Promise<void> {
  call.operation = name
  const method = name.slice(0, name.indexOf(' '))
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

/** 404. The message names the likely cause, which is a setting of the client. */
function unsupportedEndpoint(apiRoot: string, path: string): ApiError {
  return new ApiError('unsupported_endpoint', hintAt(apiRoot, path))
}

function hintAt(apiRoot: string, path: string): string {
  const below = path.startsWith(`${apiRoot}/`) ? path.slice(apiRoot.length) : ''
  const root = `The API root is ${apiRoot}: a client's base URL is http(s)://HOST${apiRoot}.`
  if (below === '/v1' || below.startsWith('/v1/'))
    return `This endpoint does not exist: the base URL contains /v1 twice. ${root}`
  const other = OTHER_INTERFACES[below]
  if (other !== undefined)
    return `${other} not supported. Configure the client for chat completions. ${root}`
  const endpoints = `POST ${apiRoot}/chat/completions, GET ${apiRoot}/models and /models/MODEL`
  return `This endpoint does not exist. ${root} Endpoints: ${endpoints}.`
}
