// An engine that does what the prompt says, and reports how many generations run.
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import type { ScriptContext } from '../../harness/fake-engine/forked-process.ts'
import { begin, type Answer } from '../../harness/fake-engine/server.ts'

/** What a prompt may begin with. Anything else is answered at once. */
export const PROMPT = { fail: 'fail', hold: 'hold', silent: 'silent' } as const

const TEXT = ROLE + chunk({ content: 'Some text' })

export function createAnswer({ engine, report }: ScriptContext): Answer {
  let running = 0
  const change = (by: number) => {
    running += by
    report({ report: 'running', engine, running })
  }
  return ({ body, response }) => {
    const messages = body['messages'] as readonly { readonly content: string }[]
    const prompt = messages[0]?.content ?? ''
    change(1)
    response.once('close', () => change(-1))
    if (prompt.startsWith(PROMPT.silent)) return
    if (prompt.startsWith(PROMPT.fail)) {
      response.writeHead(500).end('{"error":{"code":500,"message":"failed"}}')
    } else if (prompt.startsWith(PROMPT.hold)) begin(response).write(TEXT)
    else begin(response).end(TEXT + ending({ prompt: 10, completion: 1 }))
  }
}
