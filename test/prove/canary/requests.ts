import { gzipSync } from 'node:zlib'
import { ECHO_MODES } from './echo-engine.ts'
import { IGNORED } from './forms.ts'

/** One request as it goes over the wire. */
export type Sent = {
  readonly method: string
  /** Below the server's address. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** Leaves after the first bytes of the answer. */
  readonly leaves?: boolean
}

/** Makes a canary for one field of a request. */
export type Canary = (field: string) => string

/** `ignoringKey` belongs to the same project, and ignores what it is allowed to ignore. */
type Make = (canary: Canary, key: string, model: string, ignoringKey: string) => Sent

const CHAT = '/compat/v1/chat/completions'

export const REAL_MODEL = 'canary/real'
export const ECHO_MODELS = ECHO_MODES.map((mode) => `canary/${mode}`)

function post(key: string, body: string | Buffer, headers: Record<string, string> = {}): Sent {
  const authorization = `Bearer ${key}`
  const head = { authorization, 'content-type': 'application/json', ...headers }
  return { method: 'POST', path: CHAT, headers: head, body }
}

/** The choices one after the other, again and again. */
export function inTurn<T>(choices: readonly T[], index: number): T {
  return choices[index % choices.length] as T
}

function user(canary: Canary): object {
  return { role: 'user', content: `Say ${canary('content')} again.` }
}

export function chat(model: string, canary: Canary, change: object = {}): string {
  const known = { model, messages: [user(canary)], max_completion_tokens: 2 }
  return JSON.stringify({ ...known, ...change })
}

function changed(change: (canary: Canary) => object): Make {
  return (canary, key, model) => post(key, chat(model, canary, change(canary)))
}

/** With a key that ignores the parameters. */
function ignored(change: (canary: Canary) => object): Make {
  return (canary, _key, model, ignoringKey) =>
    post(ignoringKey, chat(model, canary, change(canary)))
}

function ignoredBy(canary: Canary): object {
  const of = (field: string) => canary(`${IGNORED}-${field}`)
  return {
    user: of('user'),
    safety_identifier: of('safety'),
    metadata: { [of('name')]: of('value') },
    prompt_cache_key: of('cache'),
  }
}

function toolOf(canary: Canary): object {
  const parameters = {
    type: 'object',
    title: canary('title'),
    description: canary('schema'),
    properties: {
      [canary('property')]: { type: 'string', enum: [canary('enum')], default: canary('default') },
    },
  }
  const name = `f_${canary('tool').replaceAll(/\W/g, '_')}`
  return { type: 'function', function: { name, description: canary('description'), parameters } }
}

/** Valid requests, which reach engines. */
export const VALID: readonly Make[] = [
  changed(() => ({})),
  changed(() => ({ stream: true })),
  changed(() => ({ stream: true, stream_options: { include_usage: true } })),
  changed((canary) => ({
    messages: [
      { role: 'system', content: canary('system') },
      { role: 'user', content: [{ type: 'text', text: canary('part') }] },
      {
        role: 'assistant',
        content: canary('assistant'),
        reasoning_content: canary('reasoning'),
        tool_calls: [
          {
            id: `call_${canary('call')}`,
            type: 'function',
            function: { name: canary('called'), arguments: JSON.stringify({ a: canary('given') }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: `call_${canary('call')}`, content: canary('result') },
    ],
  })),
  changed((canary) => ({ stop: [canary('stop')] })),
  ignored((canary) => ignoredBy(canary)),
  ignored((canary) => ({ ...ignoredBy(canary), stop: [canary('stop')], stream: true })),
  changed((canary) => ({ tools: [toolOf(canary)] })),
  changed((canary) => ({ messages: [{ ...user(canary), name: canary('name'), x: canary('x') }] })),
  (canary, key, model) => ({ ...post(key, chat(model, canary, { stream: true })), leaves: true }),
  (canary, key, model) => ({ ...post(key, chat(model, canary)), leaves: true }),
  (canary, key, model) => {
    const headers = {
      'user-agent': canary('agent'),
      cookie: canary('cookie'),
      'x-request-id': canary('request-id'),
      traceparent: canary('trace'),
      referer: `http://${canary('referer')}`,
      [`x-${canary('header-name')}`]: canary('header'),
    }
    return post(key, chat(model, canary), headers)
  },
]

/** Rejected before they reach an engine, each by another rule. */
export const REJECTED: readonly Make[] = [
  changed((canary) => ({ user: canary('user') })),
  changed((canary) => ({ metadata: { [canary('key')]: canary('metadata') } })),
  ignored((canary) => ({ user: { [canary('user')]: canary('user') } })),
  ignored((canary) => ({ safety_identifier: canary('safety').repeat(9) })),
  ignored((canary) => ({ metadata: { [canary('key')]: [canary('metadata')] } })),
  ignored((canary) => ({ prompt_cache_key: [canary('cache')] })),
  ignored((canary) => ({ ...ignoredBy(canary), [canary('unknown')]: 1 })),
  changed((canary) => ({ [canary('unknown')]: 1 })),
  changed((canary) => ({ model: canary('model') })),
  changed((canary) => ({ temperature: canary('temperature') })),
  changed((canary) => ({ messages: canary('messages') })),
  changed((canary) => ({ messages: [{ role: canary('role'), content: 'x' }] })),
  changed((canary) => ({ messages: [{ role: 'user', content: { [canary('object')]: 1 } }] })),
  changed((canary) => ({ reasoning_effort: canary('effort') })),
  changed((canary) => ({ seed: canary('seed'), logit_bias: { [canary('bias')]: 1 } })),
  changed((canary) => ({ tools: [{ type: canary('type'), function: canary('function') }] })),
  changed((canary) => ({ tools: [toolOf(canary)], tool_choice: { type: canary('choice') } })),
  changed((canary) => ({
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: canary('format'),
        schema: { pattern: `(${canary('pattern')}`, $ref: canary('ref') },
      },
    },
  })),
  changed((canary) => ({ stop: [canary('stop'), 1], n: canary('n'), store: canary('store') })),
  (canary, key) => post(key, `{"model": "${canary('unclosed')}`),
  (canary, key) => post(key, canary('no-json')),
  (canary, key) => post(key, `{"a": ${canary('bare')}}`),
  (canary, key) => post(key, `{"messages": [{"content": "x\n    at ${canary('frame')} (a:1:1)`),
  (canary, key) => post(key, `{"${canary('twice')}": 1, "${canary('twice')}": 2}`),
  (canary, key) => post(key, '['.repeat(5_000) + canary('deep')),
  (canary, key) =>
    post(key, Buffer.concat([Buffer.from(`{"a":"${canary('utf8')}`), Buffer.of(0xff)])),
  (canary, key) => post(key, canary('typed'), { 'content-type': canary('content-type') }),
  (canary, key) => post(key, gzipSync(canary('gzip')), { 'content-encoding': 'gzip' }),
  (canary, key) => post(key, canary('coding'), { 'content-encoding': canary('encoding') }),
  (canary, key) => ({ ...post(key, ''), path: `/compat/v1/${canary('path')}` }),
  (canary, key) => ({ ...post(key, ''), path: `/${canary('root')}/v1/chat/completions` }),
  (canary, key) => ({ ...post(key, ''), method: 'GET', path: `/compat/v1/models/${canary('id')}` }),
  (canary, key) => ({
    ...post(key, ''),
    method: 'GET',
    path: `/compat/v1/models?${canary('query')}=1`,
  }),
  (canary, key) => ({ ...post(key, chat('none', canary)), path: `${CHAT}?q=${canary('query')}` }),
  (canary, key) => ({ ...post(key, chat('none', canary)), method: 'DELETE' }),
  (canary) => post(canary('credential'), chat('none', canary)),
  (canary) => post(`headrace_${canary('credential')}`, chat('none', canary)),
  (canary, key) => post(key, '', { authorization: `Basic ${canary('basic')}` }),
  (canary, key) => post(key, '', { authorization: canary('authorization') }),
  (canary, key) => ({ ...post(key, ''), method: 'OPTIONS', headers: preflight(canary) }),
]

function preflight(canary: Canary): Record<string, string> {
  return {
    origin: `https://${canary('origin')}.example`,
    'access-control-request-method': 'POST',
    'access-control-request-headers': canary('asked-header'),
  }
}

/** Not HTTP, or HTTP that no client library writes. */
export const RAW: readonly ((canary: Canary, key: string) => string)[] = [
  (canary) => `${canary('line')}\r\n\r\n`,
  (canary) => `GET /${canary('path')} HTTP/9.9\r\nhost: x\r\n\r\n`,
  (canary) => `GET / HTTP/1.1\r\nhost: x\r\nbad ${canary('header')}\r\n\r\n`,
  (canary) => `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${canary('long').repeat(2_000)}\r\n\r\n`,
  (canary) => `CONNECT ${canary('connect')}:1 HTTP/1.1\r\nhost: x\r\n\r\n`,
  (canary) => `POST http://${canary('target')}/ HTTP/1.1\r\nhost: x\r\n\r\n`,
  (canary, key) => rawPost(key, `content-length: 999\r\n\r\n{"a":"${canary('half')}`),
  (canary, key) => rawPost(key, `transfer-encoding: chunked\r\n\r\nZZ\r\n${canary('chunk')}\r\n`),
  (canary, key) => rawPost(key, `content-length: 99999999\r\n\r\n${canary('large')}`),
  (canary, key) =>
    rawPost(key, `content-length: 2\r\n\r\n{}${canary('smuggled')} / HTTP/1.1\r\n\r\n`),
]

function rawPost(key: string, rest: string): string {
  const head = `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`
  return `${head}content-type: application/json\r\n${rest}`
}
