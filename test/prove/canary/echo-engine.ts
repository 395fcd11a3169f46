// An engine that repeats its prompt wherever an engine can send text. It runs in the proof's own
// process and writes nothing to disk.
import type { ServerResponse } from 'node:http'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { IGNORED } from './forms.ts'
import { begin, flush, startFakeEngine, type FakeEngine } from '../../harness/fake-engine/server.ts'

export type EchoEngine = FakeEngine & {
  /** Generations whose prompt contained the mark. */
  marked(): number
  /** Generations that were sent a parameter which was to be ignored. */
  withIgnored(): number
}

type Reply = (prompt: string, response: ServerResponse) => void | Promise<void>

const COUNTS = { prompt: 9, completion: 4 }

function opening(prompt: string): string {
  const reasoning = chunk({ reasoning_content: `I read ${prompt}` })
  return ROLE + reasoning + chunk({ content: `You said ${prompt}` })
}

function reject(status: number): Reply {
  return (prompt, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-prompt': 'echoed' })
    response.end(JSON.stringify({ error: { code: status, message: `cannot do ${prompt}` } }))
  }
}

/** Sends the beginning of an answer, so that a failure comes after it and not instead of it. */
async function start(prompt: string, response: ServerResponse): Promise<void> {
  await flush(begin(response), opening(prompt))
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
}

const MODES = {
  answers: (prompt, response) => {
    begin(response).end(opening(prompt) + ending(COUNTS))
  },
  calls: (prompt, response) => {
    const call = { name: `run-${prompt.slice(0, 40)}`, arguments: JSON.stringify({ prompt }) }
    const tool_calls = [{ index: 0, id: `call-${prompt.slice(0, 40)}`, function: call }]
    begin(response).end(chunk({ tool_calls }) + ending(COUNTS, 'tool_calls'))
  },
  fails: reject(500),
  refuses: reject(400),
  'rejects-key': reject(401),
  'is-busy': reject(503),
  'errs-first': (prompt, response) => {
    begin(response).end(`data: ${JSON.stringify({ error: { message: prompt, code: prompt } })}\n\n`)
  },
  'errs-later': async (prompt, response) => {
    await start(prompt, response)
    response.end(`data: ${JSON.stringify({ error: { message: `at ${prompt}` } })}\n\n`)
  },
  'garbles-first': (prompt, response) => {
    begin(response).end(`data: {"choices" ${prompt}\n    at ${prompt}\n\n`)
  },
  'garbles-later': async (prompt, response) => {
    await start(prompt, response)
    response.end(`data: ${prompt}\n\n`)
  },
  'sends-page': (prompt, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${prompt}</html>`)
  },
  'breaks-http': (prompt, response) => {
    response.socket?.end(`HTTP/1.1 200 ${prompt}\r\nbad header ${prompt}\r\n\r\n${prompt}`)
  },
  cuts: async (prompt, response) => {
    await start(prompt, response)
    response.socket?.resetAndDestroy()
  },
  hangs: start,
} as const satisfies Record<string, Reply>

type Mode = keyof typeof MODES

export const ECHO_MODES = Object.keys(MODES) as Mode[]

/** The model's name chooses the mode. */
export async function startEchoEngine(mark: string): Promise<EchoEngine> {
  let marked = 0
  let withIgnored = 0
  const engine = await startFakeEngine(async ({ body, response }) => {
    const text = JSON.stringify(body)
    if (text.includes(mark)) marked += 1
    if (text.includes(`${mark}-${IGNORED}`)) withIgnored += 1
    await MODES[body['model'] as Mode](promptIn(text, mark), response)
  })
  return Object.assign(engine, { marked: () => marked, withIgnored: () => withIgnored })
}

/** The first canary in the request, and what follows it. */
function promptIn(text: string, mark: string): string {
  const at = Math.max(0, text.indexOf(mark))
  return text.slice(at, at + 200).replaceAll(/[^ -~]/g, ' ')
}
