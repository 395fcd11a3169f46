import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { LlamaServer } from '../../harness/llama-server.ts'

/** The control tokens of a prompt in their order, and how many tokens it has in all. */
export type Prompt = { readonly controls: readonly string[]; readonly tokens: number }

/** Renders and splits what an engine was sent, as the engine itself does it. */
export async function readPrompt(
  engine: LlamaServer,
  recorded: object,
  special: readonly string[],
): Promise<Prompt> {
  const { prompt } = await ask<{ prompt: string }>(engine, '/apply-template', recorded)
  const tokens = await tokenise(engine, prompt)
  const ids = await controlIds(engine, special)
  const controls = tokens.flatMap((id) => ids.get(id) ?? [])
  return { controls, tokens: tokens.length }
}

async function tokenise(engine: LlamaServer, content: string): Promise<number[]> {
  const whole = { content, add_special: true, parse_special: true }
  return (await ask<{ tokens: number[] }>(engine, '/tokenize', whole)).tokens
}

let known: Promise<ReadonlyMap<number, string>> | undefined

/** Ids, because the same characters as plain text are not the control token. */
function controlIds(engine: LlamaServer, special: readonly string[]) {
  known ??= readControlIds(engine, special)
  return known
}

async function readControlIds(engine: LlamaServer, special: readonly string[]) {
  const ids = new Map<number, string>()
  for (const token of special) {
    const [id, ...more] = await tokenise(engine, token)
    if (id === undefined || more.length > 0) throw new Error(`${token} is no control token`)
    ids.set(id, token)
  }
  return ids
}

/** Without a connection that is kept: the engine closes those when it likes. */
async function ask<Answer>({ url }: LlamaServer, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const asked = request(`${url}${path}`, { method: 'POST', headers, agent: false })
  asked.end(JSON.stringify(body))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response as AsyncIterable<Buffer>) parts.push(part)
  const text = Buffer.concat(parts).toString()
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`)
  return JSON.parse(text) as Answer
}
