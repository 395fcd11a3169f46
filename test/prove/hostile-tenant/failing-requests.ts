import { setTimeout as pause } from 'node:timers/promises'
import type { Line, Sent } from '../../harness/clients/http-client.ts'
import type { Random } from '../../harness/figures/random.ts'
import { openChat } from '../../harness/clients/stream-client.ts'
import { PROMPT } from './engine.ts'
import { headOf, openSocket, type Target } from './uploads.ts'

/** The callers and models of the requests. */
export type Setting = {
  readonly apiRoot: string
  readonly line: Line
  readonly model: string
  /** A model with one slot, and one whose engine fails: it is ejected now and then. */
  readonly narrowModel: string
  readonly failingModel: string
  readonly keys: Readonly<Record<'ample' | 'priced' | 'poor' | 'denied' | 'limited', string>>
  readonly random: Random
}

/** The statuses that a kind of request may get; 0 is a client that left. */
type Kind = { readonly statuses: readonly number[]; send(setting: Setting): Promise<number> }

const LEAVE_MS_MAX = 30
/** Above the maximum of a body. */
const TOO_LONG = 20_000_000

function chat(model: string, content: string, stream = false): object {
  return { model, stream, messages: [{ role: 'user', content }] }
}

function post(change: (setting: Setting) => Partial<Sent>, ...statuses: number[]): Kind {
  return {
    statuses,
    async send(setting) {
      const { keys, line, model } = setting
      const body = JSON.stringify(chat(model, 'Hello'))
      const common = { method: 'POST', path: '/chat/completions', body }
      const sent = { ...common, authorization: `Bearer ${keys.ample}`, ...change(setting) }
      return (await line.send(sent)).status
    },
  }
}

function asCaller(name: keyof Setting['keys'], ...statuses: number[]): Kind {
  return post(({ keys }) => ({ authorization: `Bearer ${keys[name]}` }), ...statuses)
}

function withBody(change: (setting: Setting) => object | string, ...statuses: number[]): Kind {
  return post(
    (setting) => {
      const changed = change(setting)
      return { body: typeof changed === 'string' ? changed : JSON.stringify(changed) }
    },
    ...statuses,
  )
}

function leave(prompt: string, stream: boolean, model: 'model' | 'narrowModel'): Kind {
  return {
    statuses: [0, 200, 503],
    async send(setting) {
      const { apiRoot, keys, random } = setting
      const opened = openChat({ apiRoot, key: keys.priced }, chat(setting[model], prompt, stream))
      // pacing: a client leaves at any moment before its answer begins.
      await Promise.race([opened.begun, pause(random.between(0, LEAVE_MS_MAX))])
      opened.leave()
      await opened.ended
      return opened.status
    },
  }
}

async function leaveInBody({ apiRoot, keys, random }: Setting): Promise<number> {
  const target: Target = { apiRoot, key: keys.ample }
  const socket = openSocket(target, headOf(target, 'content-length: 1000000'))
  socket.write(' '.repeat(random.between(0, 200_000)))
  // pacing: a client leaves at any moment of its request.
  await pause(random.between(0, LEAVE_MS_MAX))
  socket.destroy()
  return 0
}

async function sendNothing({ line, keys }: Setting): Promise<number> {
  const authorization = `Bearer ${keys.ample}`
  return (await line.send({ method: 'POST', path: '/chat/completions', authorization })).status
}

async function announceTooMuch({ apiRoot, keys }: Setting): Promise<number> {
  const target: Target = { apiRoot, key: keys.ample }
  const socket = openSocket(target, headOf(target, `content-length: ${TOO_LONG}`))
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.once('data', (answer: Buffer) => resolve(answer.toString()))
  socket.once('close', () => resolve(''))
  const answer = await promise
  socket.destroy()
  return Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

const DEEP = '['.repeat(7_000) + ']'.repeat(7_000)

/** Requests that end in every stage. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'no key': post(() => ({ authorization: undefined }), 401),
  'a wrong key': post(() => ({ authorization: 'Bearer x' }), 401),
  'a plan without access': asCaller('denied', 403),
  'no balance': asCaller('poor', 402),
  'beyond a limit': asCaller('limited', 429, 200),
  'another path': post(() => ({ path: '/embeddings' }), 404),
  'another method': post(() => ({ method: 'PUT' }), 405),
  'not JSON': withBody(() => '{"model"', 400),
  'nested too deep': withBody(() => DEEP, 400),
  'a wrong value': withBody(({ model }) => ({ ...chat(model, 'x'), temperature: 3 }), 400),
  'an unknown model': withBody(() => chat('no/such', 'x'), 404),
  'too long for the model': withBody(({ model }) => chat(model, 'long '.repeat(40_000)), 400),
  'no JSON declared': { statuses: [415], send: sendNothing },
  'announces too much': { statuses: [413], send: announceTooMuch },
  'leaves in its body': { statuses: [0], send: leaveInBody },
  'an engine that fails': withBody(({ failingModel }) => chat(failingModel, PROMPT.fail), 502, 503),
  'leaves before the first byte': leave(PROMPT.silent, true, 'model'),
  'leaves mid-stream': leave(PROMPT.hold, true, 'model'),
  'leaves a JSON response': leave(PROMPT.hold, false, 'model'),
  'leaves in the queue': leave(PROMPT.silent, true, 'narrowModel'),
  'is answered': asCaller('priced', 200),
}
