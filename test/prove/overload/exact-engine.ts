// An engine whose capacity is exact: `slots` generations at once, each of `serviceMs`.
import { setTimeout as pause } from 'node:timers/promises'
import { chunk, ending } from '../../harness/fake-engine/events.ts'
import type { ScriptContext } from '../../harness/fake-engine/forked-process.ts'
import { begin, type Answer } from '../../harness/fake-engine/server.ts'

const REPLY = chunk({ content: 'Done.' }) + ending({ prompt: 10, completion: 1 })

export function createAnswer({ options }: ScriptContext): Answer {
  const slots = Number(options['slots'])
  let running = 0
  return async ({ response }) => {
    // More requests than slots would change the capacity.
    if (running >= slots)
      return void response.writeHead(500).end('{"error":{"code":500,"message":"no slot"}}')
    running += 1
    // pacing: a generation takes exactly this long.
    await pause(Number(options['serviceMs']))
    running -= 1
    begin(response).end(REPLY)
  }
}
