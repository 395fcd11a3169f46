import type { LlamaServer } from '../../harness/llama-server.ts'
import { post } from './recording-proxy.ts'

/** The control tokens of a prompt in order, and how many tokens it has in all. */
export type Prompt = { readonly controls: readonly string[]; readonly tokens: number }

/** Renders and tokenizes requests exactly as the engine does. */
export async function createPromptReader(engine: LlamaServer, special: readonly string[]) {
  // Ids, because the same characters as plain text are not the control token.
  const ids = new Map<number, string>()
  for (const token of special) {
    const [id, ...more] = await tokenize(engine, token)
    if (id === undefined || more.length > 0) throw new Error(`${token} is no control token`)
    ids.set(id, token)
  }
  return async (recorded: object): Promise<Prompt> => {
    const { prompt } = await ask<{ prompt: string }>(engine, '/apply-template', recorded)
    const tokens = await tokenize(engine, prompt)
    return { controls: tokens.flatMap((id) => ids.get(id) ?? []), tokens: tokens.length }
  }
}

async function tokenize(engine: LlamaServer, content: string): Promise<number[]> {
  const whole = { content, add_special: true, parse_special: true }
  return (await ask<{ tokens: number[] }>(engine, '/tokenize', whole)).tokens
}

async function ask<Answer>({ url }: LlamaServer, path: string, body: object): Promise<Answer> {
  const answer = await post(`${url}${path}`, body)
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
  return JSON.parse(text) as Answer
}
