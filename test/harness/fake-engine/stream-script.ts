// A script for `forkEngines`: each prompt says what its engine does, and each engine reports it.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { clockMs } from '../figures/measure.ts'
import { chunk, ending, ROLE } from './events.ts'
import type { ScriptContext } from './forked-process.ts'
import { isCheck, promptOf } from './prompts.ts'
import type { Answer } from './server.ts'

/** What a prompt asks of its engine; in the prompt it is JSON, with an id. */
export type StreamScript = {
  /**
   * - `quick`: the whole answer at once
   * - `talk`: a word every `everyMs`, `words` times or without end
   * - `hold`: a word, and the rest when it is released
   * - `silent`: nothing until it is released
   * - `die`: the first engine that gets it dies; `poison`: every engine that gets it dies
   */
  readonly mode: 'quick' | 'talk' | 'hold' | 'silent' | 'die' | 'poison'
  readonly everyMs?: number
  readonly words?: number
  /** How far an engine gets before it dies. */
  readonly dies?: 'asked' | 'begun' | 'opened'
}

const WORD = chunk({ content: 'word ' })
const END = ending({ prompt: 10, completion: 4 })

/** Prompts that have killed an engine, so that the next engine answers them. */
const fatal = new Set<string>()

export function createAnswer({ engine, report, die, onMessage }: ScriptContext): Answer {
  const running = new Set<ServerResponse>()
  onMessage((message) => {
    if (message['release'] === engine) for (const response of running) finish(response)
  })
  return async ({ body, response }) => {
    // The service itself asks whether the engine works.
    if (isCheck(body)) return finish(response)
    const script = JSON.parse(promptOf(body)) as StreamScript & { id: string }
    const { id, mode } = script
    report({ report: 'seen', id, engine })
    running.add(response)
    response.once('close', () => {
      running.delete(response)
      if (!response.writableFinished) report({ report: 'left', id, atMs: clockMs() })
    })
    if (mode === 'poison' || (mode === 'die' && !fatal.has(id))) {
      fatal.add(id)
      await begin(response, script.dies ?? 'asked')
      die(id)
    } else if (mode === 'quick' || mode === 'die') finish(response)
    else if (mode === 'hold') response.writeHead(200).write(`${ROLE}${WORD}`)
    else if (mode === 'talk') await talk(response, script)
  }
}

/** Lets the reader see how far it got, before it dies. */
async function begin(
  response: ServerResponse,
  dies: NonNullable<StreamScript['dies']>,
): Promise<void> {
  if (dies === 'asked') return
  response.writeHead(200)
  if (dies === 'begun') response.flushHeaders()
  else response.write(ROLE)
  // pacing: the reader sees how far it got, before it dies.
  await pause(2)
}

async function talk(response: ServerResponse, { everyMs = 100, words = Infinity }: StreamScript) {
  response.writeHead(200).write(ROLE)
  for (let word = 0; word < words && !response.destroyed; word += 1) {
    response.write(WORD)
    // pacing: an engine needs time for each word; streams do not go on in step.
    await pause(word === 0 ? everyMs * Math.random() : everyMs)
  }
  if (!response.destroyed) response.end(END)
}

function finish(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200)
  response.end(`${ROLE}${WORD}${END}`)
}
