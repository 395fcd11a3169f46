// An engine that generates one token per chunk and reports each count, in a process of its own, so
// that the number of tokens it generated is known exactly. `counting.ts` starts it.
import { setTimeout as pause } from 'node:timers/promises'
import { TOKEN, type Work } from './counting.ts'
import { chunk, ending, ROLE } from './events.ts'
import type { ScriptContext } from './forked-process.ts'
import { begin, type Answer, type Asked } from './server.ts'

export function createAnswer(context: ScriptContext): Answer {
  return async ({ body, response }) => {
    const work = workOf(body)
    const { prompt, cached, tokens, everyMs, holdAfter = Infinity } = work
    let generated = 0
    response.once('close', () => context.report({ report: 'ended', prompt, generated }))
    begin(response)
    if (work.headWithToken !== true) response.flushHeaders()
    if (holdAfter > 0) response.write(ROLE)
    while (generated < tokens && generated < holdAfter && !response.destroyed) {
      generated += 1
      const timings = { cache_n: cached, prompt_n: prompt - cached, predicted_n: generated }
      response.write(chunk(deltaOf(work, generated), null, { timings }))
      // pacing: an engine needs time for each token.
      if (everyMs > 0) await pause(everyMs)
    }
    if (generated === holdAfter) context.report({ report: 'holding', prompt })
    else if (!response.destroyed)
      response.end(ending({ prompt, completion: tokens, cached }, finishOf(work)))
  }
}

export function countPrompt(body: Asked['body']): number | undefined {
  const { prompt, uncountable } = workOf(body)
  return uncountable === true ? undefined : prompt
}

function workOf(body: Asked['body']): Work {
  const messages = body['messages'] as readonly { readonly content: string }[]
  return JSON.parse(messages.at(-1)?.content ?? '') as Work
}

function finishOf({ calls }: Work): string {
  return calls ? 'tool_calls' : 'stop'
}

function deltaOf(work: Work, token: number): object {
  if (token <= work.reasoning) return { reasoning_content: TOKEN }
  if (!work.calls) return { content: TOKEN }
  const isFirst = token === work.reasoning + 1
  const call = { ...(isFirst ? { name: 'note' } : {}), arguments: TOKEN }
  const head = isFirst ? { id: 'call', type: 'function' } : {}
  return { tool_calls: [{ index: 0, ...head, function: call }] }
}
