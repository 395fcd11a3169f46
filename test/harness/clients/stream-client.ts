import { request, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { clockMs } from '../figures/measure.ts'

/** How an exchange ended for its client. */
export type Ending = 'complete' | 'broken' | 'refused' | 'reset'

/** One exchange as its client sees it. */
export type Chat = {
  /** 0 until there is an answer. */
  readonly status: number
  readonly requestId: string
  /** Of the answer, by lower-case name. */
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the request went over a connection that an earlier one had used. */
  readonly reused: boolean
  /** Resolves at the answer's first bytes, or at its end if there are none. */
  readonly begun: Promise<void>
  readonly ended: Promise<Ending>
  /** Closes the connection; returns the moment. */
  leave(): number
}

type Target = { readonly apiRoot: string; readonly key: string }

/** Sends a request; without an agent, over a connection of its own. */
export function openChat(
  { apiRoot, key }: Target,
  body: object,
  agent?: Agent,
  /** Receives the text of the answer as it arrives. */
  onText: (part: string) => void = () => undefined,
): Chat {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Ending>()
  let answer: IncomingMessage | undefined
  let text = ''
  const sent = request(`${apiRoot}/chat/completions`, {
    method: 'POST',
    agent: agent ?? false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  const end = (ending: Ending) => {
    begun.resolve()
    ended.resolve(ending)
  }
  sent.on('response', (response) => {
    answer = response
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
      onText(part)
      begun.resolve()
    })
    response.on('end', () => end(response.complete ? 'complete' : 'broken'))
    response.on('error', () => end('broken'))
    response.on('close', () => end('broken'))
  })
  sent.on('error', (error: NodeJS.ErrnoException) => {
    if (answer !== undefined) end('broken')
    else end(error.code === 'ECONNREFUSED' ? 'refused' : 'reset')
  })
  sent.end(JSON.stringify(body))
  return {
    get status() {
      return answer?.statusCode ?? 0
    },
    get requestId() {
      return (answer?.headers['x-request-id'] as string | undefined) ?? ''
    },
    get headers() {
      return answer?.headers ?? {}
    },
    get text() {
      return text
    },
    get reused() {
      return sent.reusedSocket
    },
    begun: begun.promise,
    ended: ended.promise,
    leave() {
      const atMs = clockMs()
      sent.destroy()
      return atMs
    },
  }
}

export function isWhole({ text }: Chat): boolean {
  return text.endsWith('data: [DONE]\n\n')
}

/** Whether it failed as a stream should: with an error event at its end. */
export function saysError({ text }: Chat): boolean {
  return /data: \{"error":\{.*\}\} *\n\n$/.test(text) && !text.includes('[DONE]')
}
