import type { TSchema } from 'typebox'
import { ChatChunk } from '../src/contract/chat-chunk.ts'
import { ChatRequest } from '../src/contract/chat-request.ts'
import { ChatResponse } from '../src/contract/chat-response.ts'
import { ERRORS } from '../src/contract/error.ts'
import { Model, ModelList } from '../src/contract/model.ts'
import { errorResponse } from './error-response.ts'
import { CHAT_EXAMPLES } from './request-examples.ts'

const ErrorResponse = errorResponse(ERRORS)

type Header = { readonly description: string; readonly schema: object }

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const seconds = { type: 'string', pattern: '^\\d+(\\.\\d{1,3})?s$' }

const ID_HEADERS: Record<string, Header> = {
  'x-request-id': {
    description: 'Assigned by the server, on every response except a CORS preflight.',
    schema: { type: 'string', format: 'uuid' },
  },
}

const KNOWN_CALLER_HEADERS: Record<string, Header> = {
  'x-server-request-id': { description: 'A copy of x-request-id.', schema: text },
  'service-data-retention': {
    description: 'The retention of the content. An unknown value guarantees nothing.',
    schema: { type: 'string', examples: ['zero', 'standard', 'contributor'] },
  },
}

function capacityHeaders(what: 'requests' | 'tokens'): Record<string, Header> {
  const rows = [
    [
      what,
      `${what} per minute`,
      'until the full limit is available again without further requests',
    ],
    [`${what}-day`, `${what} per UTC day`, 'until the next UTC midnight'],
  ] as const
  return Object.fromEntries(
    rows.flatMap(([name, unit, until]): [string, Header][] => [
      [`x-ratelimit-limit-${name}`, { description: `The limit on ${unit}.`, schema: count }],
      [`x-ratelimit-remaining-${name}`, { description: `Remaining ${unit}.`, schema: count }],
      [`x-ratelimit-reset-${name}`, { description: `Time ${until}.`, schema: seconds }],
    ]),
  )
}

const REQUEST_CAPACITY = capacityHeaders('requests')
const CHAT_CAPACITY = { ...REQUEST_CAPACITY, ...capacityHeaders('tokens') }

const RETRY_AFTER: Record<string, Header> = {
  'retry-after': { description: 'Whole seconds to wait before retrying.', schema: count },
}

const CHAT_STATUSES = [400, 401, 402, 403, 404, 409, 413, 415, 429, 500, 502, 503]
const MODEL_STATUSES = [401, 403, 404, 429, 500, 503]
/** Rejected before admission, so there is no capacity to report. */
const NOT_ADMITTED = new Set([402, 403, 409])

/** One response per status, listing its codes. */
function errorResponses(statuses: readonly number[], capacity: Record<string, Header>) {
  return Object.fromEntries(
    statuses.map((status) => {
      const rows = Object.values(ERRORS).filter((row) => row.status === status)
      const codes = rows.map(({ code }) => `\`${code}\``).join(', ')
      const headers =
        status === 401
          ? ID_HEADERS
          : {
              ...ID_HEADERS,
              ...KNOWN_CALLER_HEADERS,
              ...(NOT_ADMITTED.has(status) ? {} : capacity),
              ...(status === 429 || status === 503 ? RETRY_AFTER : {}),
            }
      return [status, { description: `code: ${codes}`, headers, content: json(ErrorResponse) }]
    }),
  )
}

function json(schema: TSchema) {
  return { 'application/json': { schema } }
}

function ok(description: string, capacity: Record<string, Header>, content: object) {
  const headers = { ...ID_HEADERS, ...KNOWN_CALLER_HEADERS, ...capacity }
  return { 200: { description, headers, content } }
}

const SERVERS = [
  {
    url: '{base_url}/{segment}/v1',
    description: 'Your installation. The defaults are those of the demo.',
    variables: {
      base_url: {
        default: 'http://127.0.0.1:8080',
        description: 'Where the operator serves the API.',
      },
      segment: { default: 'compat', description: 'The setting `api.path_segment`.' },
    },
  },
]

const TAGS = [
  { name: 'Chat', description: 'Answers of models, at once or as a stream.' },
  { name: 'Models', description: 'What the key may use.' },
]

const PATHS = {
  '/chat/completions': {
    post: {
      operationId: 'createChatCompletion',
      tags: ['Chat'],
      summary: 'Create a chat completion',
      description:
        'With `stream: true` the answer is a stream of server-sent events. `[DONE]` ends ' +
        'complete streams only.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: ChatRequest, examples: CHAT_EXAMPLES } },
      },
      responses: {
        ...ok('The completion; a stream of chunks with `stream: true`.', CHAT_CAPACITY, {
          ...json(ChatResponse),
          'text/event-stream': { schema: ChatChunk },
        }),
        ...errorResponses(CHAT_STATUSES, CHAT_CAPACITY),
      },
    },
  },
  '/models': {
    get: {
      operationId: 'listModels',
      tags: ['Models'],
      summary: 'List the models that the caller may use',
      responses: {
        ...ok('The models.', REQUEST_CAPACITY, json(ModelList)),
        ...errorResponses(
          MODEL_STATUSES.filter((status) => status !== 404),
          REQUEST_CAPACITY,
        ),
      },
    },
  },
  '/models/{model}': {
    get: {
      operationId: 'retrieveModel',
      tags: ['Models'],
      summary: 'Retrieve one model',
      parameters: [
        {
          name: 'model',
          in: 'path',
          required: true,
          description: 'The model id. Slashes need no encoding.',
          schema: text,
        },
      ],
      responses: {
        ...ok('The model.', REQUEST_CAPACITY, json(Model)),
        ...errorResponses(MODEL_STATUSES, REQUEST_CAPACITY),
      },
    },
  },
}

/** The OpenAPI document with every schema inline; `referenced` moves them to components. */
export function apiDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Headrace inference API',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Chat completions for existing clients: set the base URL and the API key.',
    },
    servers: SERVERS,
    security: [{ bearer: [] }],
    tags: TAGS,
    paths: PATHS,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `headrace_sk_` and 49 characters.',
        },
      },
    },
  }
}
