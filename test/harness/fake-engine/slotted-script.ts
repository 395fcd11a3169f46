// An engine with a number of slots, for measuring how they are shared: a request that finds none
// free is counted and fails, or waits inside. `slotted.ts` starts it.
import type { ServerResponse } from 'node:http'
import { isObject } from '../../../src/lib/is-object.ts'
import { createBusyTime, sumBusyMs, type BusyTime } from './busy-time.ts'
import { chunk, ending } from './events.ts'
import type { ScriptContext } from './forked-process.ts'
import { begin, type Answer, type Asked, type Page } from './server.ts'
import type { SlottedCounts, SlottedOptions, SlottedWork } from './slotted.ts'

type Waiting = { readonly work: SlottedWork; readonly response: ServerResponse }

type Engine = {
  begun: number
  excess: number
  running: number
  readonly busyTime: BusyTime
  readonly inside: Set<Waiting>
}

/** For requests that are not ours, such as a check of the engine. */
const NO_WORK: SlottedWork = { ms: 1, prompt: 10, tokens: 1 }
/** A stream without pieces would count as stalled. */
const PIECE_MS = 1_000

const engines: Engine[] = []

export function createAnswer({ engine: index, options, report, onMessage }: ScriptContext): Answer {
  const { slots, onExcess } = options as SlottedOptions
  const engine: Engine = {
    begun: 0,
    excess: 0,
    running: 0,
    busyTime: createBusyTime(),
    inside: new Set(),
  }
  engines[index] = engine
  onMessage(({ ask }) =>
    report({ report: 'counts', engine: index, asked: ask, counts: countsOf(engine) }),
  )
  const start = ({ work, response }: Waiting) => {
    engine.begun += 1
    count(engine, work, 1)
    run(work, response, () => {
      count(engine, work, -1)
      const [next] = engine.inside
      if (next === undefined) return
      engine.inside.delete(next)
      start(next)
    })
  }
  return ({ body, response }) => {
    const asked: Waiting = { work: workOf(body), response }
    if (engine.running < slots) return start(asked)
    engine.excess += 1
    if (onExcess === 'fail')
      return void response.writeHead(500).end('{"error":{"code":500,"message":"no slot"}}')
    engine.inside.add(asked)
    response.once('close', () => engine.inside.delete(asked))
  }
}

/** Answers like vLLM, SGLang and llama-server at once; each reader finds its own names. */
export function pageOf(index: number): Page {
  return (path) => {
    const engine = engines[index]
    if (path !== '/metrics' || engine === undefined) return undefined
    const { running, waiting } = countsOf(engine)
    return [
      `vllm:num_requests_running{engine="0",model_name="any"} ${running}.0`,
      `vllm:num_requests_waiting{engine="0",model_name="any"} ${waiting}.0`,
      `sglang:num_running_reqs{model_name="any"} ${running}.0`,
      `sglang:num_queue_reqs{model_name="any"} ${waiting}.0`,
      `llamacpp:requests_processing ${running}`,
      `llamacpp:requests_deferred ${waiting}`,
      '',
    ].join('\n')
  }
}

/** The slot is free before the client can know that the answer is complete. */
function run(work: SlottedWork, response: ServerResponse, onFree: () => void): void {
  const { ms, prompt, tokens } = work
  const beganMs = performance.now()
  const soFar = () => Math.min(tokens, Math.ceil((tokens * (performance.now() - beganMs)) / ms))
  begin(response).write(piece(prompt, 0))
  const pieces = setInterval(() => response.write(piece(prompt, soFar())), PIECE_MS)
  let isFree = false
  const free = () => {
    clearTimeout(timer)
    clearInterval(pieces)
    if (!isFree) onFree()
    isFree = true
  }
  const timer = setTimeout(() => {
    free()
    response.end(ending({ prompt, completion: tokens }))
  }, ms)
  response.once('close', free)
}

function piece(prompt: number, completion: number): string {
  const usage = { prompt_tokens: prompt, completion_tokens: completion }
  return chunk({ content: 'Work. ' }, null, { usage })
}

function count(engine: Engine, { by = '' }: SlottedWork, more: number): void {
  engine.running += more
  engine.busyTime.change(by, more)
}

function countsOf({ begun, excess, running, inside, busyTime }: Engine): SlottedCounts {
  const busyMsBy = busyTime.read()
  return { begun, excess, running, waiting: inside.size, busyMs: sumBusyMs(busyMsBy), busyMsBy }
}

function workOf(body: Asked['body']): SlottedWork {
  const messages = body['messages'] as readonly { readonly content: string }[]
  try {
    const work: unknown = JSON.parse(messages.at(-1)?.content ?? '')
    return isObject(work) ? (work as unknown as SlottedWork) : NO_WORK
  } catch {
    return NO_WORK
  }
}
