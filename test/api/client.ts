import { Pool } from 'undici'

/** An HTTP client that can send any request and returns the complete response. */
export type Client = AsyncDisposable & {
  send(sent: Sent): Promise<Answer>
  /** POST /chat/completions with a JSON body. */
  chat(body: unknown, sent?: Partial<Sent>): Promise<Answer>
  /** GET of a path below the API root. */
  get(path: string, sent?: Partial<Sent>): Promise<Answer>
}

export type Sent = {
  readonly method: string
  /** Below the API root, sent unchanged. */
  readonly path: string
  /** Undefined sends no Authorization header. */
  readonly key: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Whether the connection broke before the end of the response. */
  readonly broken: boolean
}

export type ErrorFields = {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

export function createClient(
  { apiRoot }: { readonly apiRoot: string },
  key: string,
  watch: (answer: Answer, sent: Sent) => void = () => undefined,
): Client {
  const { origin, pathname } = new URL(apiRoot)
  const pool = new Pool(origin, { connections: 32, headersTimeout: 30_000, bodyTimeout: 30_000 })
  const ask = async (sent: Sent): Promise<Answer> => {
    const authorization = sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }
    const {
      statusCode: status,
      headers,
      body,
    } = await pool.request({
      method: sent.method,
      path: `${pathname}${sent.path}`,
      headers: { ...authorization, ...sent.headers },
      body: sent.body ?? null,
    })
    let text = ''
    let broken = false
    try {
      body.setEncoding('utf8')
      for await (const part of body as AsyncIterable<string>) text += part
    } catch {
      broken = true
    }
    const answer = { status, headers: headers as Record<string, string>, text, broken }
    watch(answer, sent)
    return answer
  }
  const send = (sent: Sent) => {
    const answer = ask(sent)
    // A failed test awaits its open requests no more. Closing the client ends them with an error,
    // which must not take the place of the test's own.
    answer.catch(() => undefined)
    return answer
  }
  return {
    send,
    chat: (body, sent) =>
      send({
        method: 'POST',
        path: '/chat/completions',
        key,
        body: JSON.stringify(body),
        ...sent,
        headers: { 'content-type': 'application/json', ...sent?.headers },
      }),
    get: (path, sent) => send({ method: 'GET', path, key, headers: {}, body: undefined, ...sent }),
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}

export function readJson({ text }: { readonly text: string }): unknown {
  return JSON.parse(text)
}

export function readError(answer: { readonly text: string }): ErrorFields {
  return (readJson(answer) as { error: ErrorFields }).error
}

/** The parsed events of a stream. */
export type ReadStream = {
  readonly chunks: readonly Chunk[]
  readonly errors: readonly ErrorFields[]
  /** Whether the end marker was received, as the last event. */
  readonly done: boolean
}

export type Chunk = {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: number
    readonly delta: {
      readonly role?: string
      readonly content?: string
      readonly reasoning_content?: string
      readonly tool_calls?: readonly ToolCallFragment[]
    }
    readonly finish_reason: string | null
  }[]
  readonly usage: object | null
  readonly obfuscation?: string
}

type ToolCallFragment = {
  readonly index: number
  readonly id?: string
  readonly type?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

/** Strict on purpose: an event is one `data:` line and an empty line, or a comment. */
export function readStream({ text }: { readonly text: string }): ReadStream {
  const chunks: Chunk[] = []
  const errors: ErrorFields[] = []
  let done = false
  for (const event of text.split('\n\n').slice(0, -1)) {
    if (event.startsWith(':')) continue
    if (done) throw new Error('there is an event after the end marker')
    if (event.includes('\n') || !event.startsWith('data: '))
      throw new Error(`not a valid event: ${event}`)
    const data = event.slice('data: '.length)
    if (data === '[DONE]') done = true
    else {
      const value = JSON.parse(data) as Chunk | { error: ErrorFields }
      if ('error' in value) errors.push(value.error)
      else chunks.push(value)
    }
  }
  if (!text.endsWith('\n\n')) throw new Error('the stream ends within an event')
  return { chunks, errors, done }
}

/** Joins the chunks of a stream to one message, for comparison with a JSON response. */
export function joinChunks(chunks: readonly Chunk[]) {
  let content: string | null = null
  let reasoning: string | undefined
  let finish: string | null = null
  let usage: object | null = null
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage
    const [choice] = chunk.choices
    if (choice === undefined) continue
    finish = choice.finish_reason ?? finish
    const { content: text, reasoning_content: thought, tool_calls: fragments } = choice.delta
    if (text !== undefined) content = (content ?? '') + text
    if (thought !== undefined) reasoning = (reasoning ?? '') + thought
    for (const { index, id, function: called } of fragments ?? []) {
      const known = (calls[index] ??= { id: '', name: '', arguments: '' })
      known.id += id ?? ''
      known.name += called?.name ?? ''
      known.arguments += called?.arguments ?? ''
    }
  }
  return { content, reasoning, finish, usage, calls }
}
