import { forkEngines } from './forked.ts'

/** What a prompt makes the counting engine generate. */
export type Work = {
  /** Prompt tokens that the engine reports. Unique, so it identifies the request. */
  readonly prompt: number
  readonly cached: number
  readonly tokens: number
  /** The first so many tokens are reasoning. */
  readonly reasoning: number
  /** Whether the other tokens are the arguments of a tool call. */
  readonly calls: boolean
  readonly everyMs: number
  /** After so many tokens it stops and waits until its client leaves. */
  readonly holdAfter?: number
  /** Whether it sends no response head before its first token. */
  readonly headWithToken?: boolean
  /** Whether it fails to count the prompt. */
  readonly uncountable?: boolean
}

/** An engine that reports exactly how many tokens it generated for each request. */
export type CountingEngine = AsyncDisposable & {
  readonly url: string
  /** Resolves when the engine has stopped after `holdAfter` tokens. */
  holding(prompt: number): Promise<void>
  /** Resolves to the number of tokens generated, once the connection is closed. */
  ended(prompt: number): Promise<number>
  /** Tokens of generations that have ended; 0 if there was none. */
  generated(prompt: number): number
}

/** The text of every token. */
export const TOKEN = 't '

const SCRIPT = new URL('counting-script.ts', import.meta.url)
const TIMEOUT_MS = 120_000

export async function startCountingEngine(): Promise<CountingEngine> {
  const generated = new Map<number, number>()
  const holding = new Set<number>()
  const engines = await forkEngines(SCRIPT, 1, (report) => {
    const prompt = report['prompt'] as number
    if (report.report === 'holding') holding.add(prompt)
    if (report.report === 'ended')
      generated.set(prompt, (generated.get(prompt) ?? 0) + (report['generated'] as number))
  })
  return {
    url: engines.urls[0] ?? '',
    holding: (prompt) =>
      engines.until(`request ${prompt} to be held`, () => holding.has(prompt), TIMEOUT_MS),
    async ended(prompt) {
      const hasEnded = () => generated.has(prompt)
      await engines.until(`request ${prompt} to end`, hasEnded, TIMEOUT_MS)
      return generated.get(prompt) ?? 0
    },
    generated: (prompt) => generated.get(prompt) ?? 0,
    [Symbol.asyncDispose]: () => engines[Symbol.asyncDispose](),
  }
}

/** Prompt tokens up to which any text is long enough: they are reserved for the template alone. */
const SHORT_PROMPT = 200

/** A chat request that makes the engine do the work. */
export function requestOf(model: string, work: Work, stream: boolean): object {
  // As long as the tokens that the engine reports: more than the text can have are not counted.
  const text = work.prompt > SHORT_PROMPT ? { text: 'x'.repeat(work.prompt) } : {}
  const tool = { type: 'function', function: { name: 'note', parameters: { type: 'object' } } }
  return {
    model,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(work.calls ? { tools: [tool] } : {}),
    messages: [{ role: 'user', content: JSON.stringify({ ...work, ...text }) }],
  }
}
