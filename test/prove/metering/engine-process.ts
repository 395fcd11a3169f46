// An engine that counts one token a chunk and says so on each, in a process of its own, so that
// what it has made is known to the token. It is forked by `engine.ts`.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { TOKEN } from './engine.ts'

/** What a prompt tells the engine to make. */
export type Work = {
  /** Prompt tokens that the engine reports. Different for each request, it tells them apart. */
  readonly prompt: number
  readonly cached: number
  readonly tokens: number
  /** So many of the tokens, the first ones, are reasoning. */
  readonly reasoning: number
  /** The others are the arguments of a tool call. */
  readonly calls: boolean
  readonly everyMs: number
  /** After so many tokens it stops and waits for its client to leave. */
  readonly holdAfter?: number
}

export type Report =
  | { readonly report: 'open'; readonly port: number }
  | { readonly report: 'holding'; readonly prompt: number }
  | { readonly report: 'ended'; readonly prompt: number; readonly generated: number }

function report(message: Report): void {
  process.send?.(message)
}

function chunk(delta: object, more: object = {}, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return `data: ${JSON.stringify({ choices, ...more })}\n\n`
}

function deltaOf(work: Work, token: number): object {
  if (token <= work.reasoning) return { reasoning_content: TOKEN }
  if (!work.calls) return { content: TOKEN }
  const opening = token === work.reasoning + 1 ? { id: 'call', type: 'function' } : {}
  const name = token === work.reasoning + 1 ? { name: 'note' } : {}
  return { tool_calls: [{ index: 0, ...opening, function: { ...name, arguments: TOKEN } }] }
}

function endOf({ prompt, cached, tokens, calls }: Work): string {
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: tokens,
    total_tokens: prompt + tokens,
    prompt_tokens_details: { cached_tokens: cached },
  }
  const reason = calls ? 'tool_calls' : 'stop'
  const counted = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
  return `${chunk({}, {}, reason)}${counted}data: [DONE]\n\n`
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const work = await readWork(request)
  const { prompt, cached, tokens, everyMs, holdAfter = Infinity } = work
  let generated = 0
  response.once('close', () => report({ report: 'ended', prompt, generated }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  if (holdAfter > 0) response.write(chunk({ role: 'assistant', content: null }))
  while (generated < tokens && generated < holdAfter && !response.destroyed) {
    generated += 1
    const timings = { cache_n: cached, prompt_n: prompt - cached, predicted_n: generated }
    response.write(chunk(deltaOf(work, generated), { timings }))
    if (everyMs > 0) await pause(everyMs)
  }
  if (generated === holdAfter) report({ report: 'holding', prompt })
  else if (!response.destroyed) response.end(endOf(work))
}

async function readWork(request: IncomingMessage): Promise<Work> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const { messages } = JSON.parse(Buffer.concat(parts).toString()) as {
    messages: { content: string }[]
  }
  return JSON.parse(messages.at(-1)?.content ?? '') as Work
}

const server = createServer((request, response) => {
  // A client that is killed takes the requests with it that were still being read.
  answer(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
report({ report: 'open', port: (server.address() as AddressInfo).port })
process.on('disconnect', () => process.exit(0))
