import { createParser } from 'eventsource-parser'
import { Fault } from '../../../api/fault.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { readComment, readEvent, type ReadEvent } from './read-event.ts'
import { addChunk, emptyReply, type Reply } from './reply.ts'
import type { ChatBody } from '../setup/chat-body.ts'
import { emptyTiming, noteEvent, type Timing } from './timing.ts'

export type RunState = 'waiting' | 'streaming' | 'complete' | 'failed' | 'broken' | 'stopped'

/** One request and what came back. It changes in place; `version` says that it did. */
export type Run = {
  readonly id: number
  readonly body: ChatBody
  readonly sentAt: number
  state: RunState
  status: number | null
  headers: readonly (readonly [string, string])[]
  requestId: string | null
  /** Why it failed: an error response, an error event, or no connection. */
  fault: RunFault | null
  bytes: number
  version: number
  readonly reply: Reply
  readonly timing: Timing
  events: EventLog
  stop(): void
  readonly subscribe: (listener: () => void) => () => void
}

export type RunFault = {
  readonly kind: 'refused' | 'event' | 'broken'
  readonly message: string
  readonly status: number | null
  readonly code: string | null
  /** When a 429 lets requests pass again, in milliseconds of the clock. */
  readonly retryAt: number | null
}

export type Target = {
  readonly root: string
  /** `renew` after the API refused the last one. */
  readonly credential: (renew: boolean) => Promise<string>
}

/** Longer work is cut, so that keys and clicks are answered in between. */
const WORK_MS_MAX = 12
const UNAUTHORIZED = 401

let lastId = 0

/** Newer requests have larger numbers. */
export function nextRunId(): number {
  return (lastId += 1)
}

export function startRun(body: ChatBody, target: Target): Run & { readonly ended: Promise<void> } {
  const control = new AbortController()
  const listeners = new Set<() => void>()
  let frame: number | undefined
  const run: Run = {
    id: nextRunId(),
    body,
    sentAt: performance.now(),
    state: 'waiting',
    status: null,
    headers: [],
    requestId: null,
    fault: null,
    bytes: 0,
    version: 0,
    reply: emptyReply(),
    timing: emptyTiming(),
    events: createEventLog(),
    stop: () => control.abort(),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const tell = () => {
    frame = undefined
    run.version += 1
    for (const listener of listeners) listener()
  }
  // However many events arrive: the page is drawn at most once per frame.
  const changed = () => {
    frame ??= requestAnimationFrame(tell)
  }
  const ended = follow(run, target, control.signal, changed)
    .catch((error: unknown) => noteFailure(run, error, control.signal.aborted))
    .then(() => {
      run.timing.endedAt = sinceSent(run)
      // A page in the background has no frames, and the end must not wait for one.
      if (frame !== undefined) cancelAnimationFrame(frame)
      tell()
    })
  return Object.assign(run, { ended })
}

function sinceSent(run: Run): number {
  return performance.now() - run.sentAt
}

async function follow(
  run: Run,
  target: Target,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const response = await send(run.body, target, signal)
  run.status = response.status
  run.headers = [...response.headers]
  run.requestId =
    response.headers.get('x-server-request-id') ?? response.headers.get('x-request-id')
  run.timing.headersAt = sinceSent(run)
  changed()
  if (!response.ok || response.body === null) throw await refusalOf(response)
  run.state = 'streaming'
  await readStream(run, response.body, changed)
}

async function send(body: ChatBody, target: Target, signal: AbortSignal): Promise<Response> {
  const attempt = async (renew: boolean) =>
    fetch(`${target.root}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await target.credential(renew)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal,
      credentials: 'omit',
    })
  const response = await attempt(false)
  return response.status === UNAUTHORIZED ? attempt(true) : response
}

async function readStream(
  run: Run,
  body: ReadableStream<Uint8Array>,
  changed: () => void,
): Promise<void> {
  let isDone = false
  const onEvent = ({ data }: { data: string }) => {
    const read = readEvent(data, sinceSent(run))
    if (read === undefined) throw new Error('not an event of the API')
    take(run, read)
    isDone ||= read.isDone === true
  }
  const onComment = (text: string) => {
    const event = readComment(text, sinceSent(run))
    run.events.add(event)
    noteEvent(run.timing, event.kind, event.at)
  }
  const parser = createParser({ onEvent, onComment })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let since = performance.now()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    run.bytes += value.length
    parser.feed(decoder.decode(value, { stream: true }))
    changed()
    if (run.fault !== null || isDone) continue
    if (performance.now() - since < WORK_MS_MAX) continue
    await nextTask()
    since = performance.now()
  }
  if (run.fault !== null) return
  if (!isDone) throw new TypeError('the connection ended before [DONE]')
  run.state = 'complete'
}

function take(run: Run, { event, chunk, error }: ReadEvent): void {
  run.events.add(event)
  noteEvent(run.timing, event.kind, event.at)
  if (chunk !== undefined) addChunk(run.reply, chunk)
  if (error === undefined) return
  run.state = 'failed'
  run.fault = {
    kind: 'event',
    message: error.message,
    status: null,
    code: error.code,
    retryAt: null,
  }
}

/** Lets the browser draw and handle input. A timer of 0 ms would wait for 4 ms. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
}

class Refusal extends Error {
  readonly fault: RunFault
  constructor(fault: RunFault) {
    super(fault.message)
    this.fault = fault
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => null)) as {
    error?: { message?: string; code?: string | null }
  } | null
  const { headers, status } = response
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const exact = Number(headers.get('retry-after-ms') ?? seconds * 1000)
  return new Refusal({
    kind: 'refused',
    message: body?.error?.message ?? `${status}`,
    status,
    code: body?.error?.code ?? null,
    retryAt: Number.isFinite(exact) ? Date.now() + exact : null,
  })
}

function noteFailure(run: Run, error: unknown, stopped: boolean): void {
  if (stopped) {
    run.state = 'stopped'
    return
  }
  if (error instanceof Refusal) {
    run.state = 'failed'
    run.fault = error.fault
    return
  }
  if (error instanceof Fault && error.code !== 'unreachable') {
    const { message, status, code } = error
    run.state = 'failed'
    run.fault = { kind: 'refused', message, status, code, retryAt: null }
    return
  }
  run.state = 'broken'
  run.fault = { kind: 'broken', message: '', status: null, code: null, retryAt: null }
}
