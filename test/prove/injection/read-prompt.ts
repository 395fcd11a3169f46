import type { RealEngine } from '../../harness/engines/real-engine.ts'
import { post } from './recording-proxy.ts'

/** The control tokens of a prompt in order, and how many tokens it has in all. */
export type Prompt = { readonly controls: readonly string[]; readonly tokens: number }

/** Renders and tokenizes requests exactly as the engine does. */
export async function createPromptReader(engine: RealEngine, special: readonly string[]) {
  // Ids, because the same characters as plain text are not the control token.
  const ids = new Map<number, string>()
  for (const token of special) {
    const [id, ...more] = await tokenize(engine, token)
    if (id === undefined || more.length > 0) throw new Error(`${token} is no control token`)
    ids.set(id, token)
  }
  return async (recorded: object): Promise<Prompt> => {
    const tokens = await readTokens(engine, recorded)
    return { controls: tokens.flatMap((id) => ids.get(id) ?? []), tokens: tokens.length }
  }
}

/** The tokens of a whole request. */
async function readTokens(engine: RealEngine, recorded: object): Promise<number[]> {
  const { kind } = engine.settings
  if (kind === 'llama-server') {
    const { prompt } = await ask<{ prompt: string }>(engine, '/apply-template', recorded)
    return tokenize(engine, prompt)
  }
  // SGLang tokenizes no request for a stream.
  const whole = { ...recorded, stream: false, stream_options: undefined }
  return (await ask<{ tokens: number[] }>(engine, TOKENIZE[kind], whole)).tokens
}

const TOKENIZE = { 'llama-server': '/tokenize', vllm: '/tokenize', sglang: '/v1/tokenize' } as const

async function tokenize(engine: RealEngine, text: string): Promise<number[]> {
  const { kind } = engine.settings
  const whole =
    kind === 'llama-server'
      ? { content: text, add_special: true, parse_special: true }
      : { model: 'pebble', prompt: text, add_special_tokens: false }
  return (await ask<{ tokens: number[] }>(engine, TOKENIZE[kind], whole)).tokens
}

async function ask<Answer>({ url }: RealEngine, path: string, body: object): Promise<Answer> {
  const answer = await post(`${url}${path}`, body)
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
  return JSON.parse(text) as Answer
}
