import { openLine, type Line } from '../../harness/clients/http-client.ts'
import type { Random } from '../../harness/figures/random.ts'
import { chosenEngine } from '../../harness/engines/real-engine.ts'

/** An organization that sends prompts to one process. */
export type Tenant = { readonly line: Line; readonly key: string; readonly model: string }

export type Reading = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly tookMs: number
}

export const TENANT_CONNECTIONS = 4

/** Random prompts share at most the template's head and a first letter. */
export const HEAD_TOKENS_MAX = 8

/** vLLM caches whole blocks of 128 tokens on a processor, so a short prompt is never cached. */
const SECRET_CHARACTERS = chosenEngine() === 'llama-server' ? 120 : 2_000
const LETTERS = 'abcdefghijklmnopqrstuvwxyz '.split('')

export function openTenant(apiRoot: string, key: string, model: string): Tenant {
  return { line: openLine(apiRoot, TENANT_CONNECTIONS), key, model }
}

/** A text that nobody sends by chance. */
export function createSecret(random: Random): string {
  const letters = Array.from({ length: SECRET_CHARACTERS }, () => random.pick(LETTERS))
  return letters.join('')
}

type Answer = {
  readonly usage: {
    readonly prompt_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

export function bodyOf(model: string, secret: string, question: string): object {
  const messages = [
    { role: 'system', content: secret },
    { role: 'user', content: question },
  ]
  return { model, messages, max_completion_tokens: 1, seed: 1 }
}

/** Sends the secret as the start of a prompt. */
export async function sendPrompt(
  { line, key, model }: Tenant,
  secret: string,
  question = 'Go on.',
): Promise<Reading> {
  const reply = await line.chat(key, bodyOf(model, secret, question))
  if (reply.status !== 200) throw new Error(`a prompt was rejected: ${reply.status} ${reply.text}`)
  return readingOf(reply)
}

/** The same while servers fail; undefined if the prompt was rejected. */
export async function tryPrompt(tenant: Tenant, secret: string): Promise<Reading | undefined> {
  const { line, key, model } = tenant
  const reply = await line.chat(key, bodyOf(model, secret, 'Go on.')).catch(() => undefined)
  return reply?.status === 200 ? readingOf(reply) : undefined
}

type ChatReply = Awaited<ReturnType<Line['chat']>>

function readingOf({ text, begunMs, endedMs }: ChatReply): Reading {
  const { usage } = JSON.parse(text) as Answer
  return {
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    tookMs: endedMs - begunMs,
  }
}

export type Guess = { readonly right: boolean; readonly tookMs: number }

/**
 * How often the best rule "faster means right", or its reverse, tells right from wrong guesses:
 * its threshold is chosen on one half of the guesses and judged on the other.
 */
export function accuracyOf(guesses: readonly Guess[]): number {
  const half = Math.floor(guesses.length / 2)
  const [learnt, judged] = [guesses.slice(0, half), guesses.slice(half)]
  let best = { threshold: 0, fast: true, share: 0 }
  for (const { tookMs: threshold } of learnt)
    for (const fast of [true, false]) {
      const share = shareRight(learnt, threshold, fast)
      if (share > best.share) best = { threshold, fast, share }
    }
  return shareRight(judged, best.threshold, best.fast)
}

function shareRight(guesses: readonly Guess[], threshold: number, fast: boolean): number {
  const right = guesses.filter((guess) => (guess.tookMs <= threshold === fast) === guess.right)
  return right.length / guesses.length
}

/** 55 %, or what chance exceeds once in 30,000 runs with so few guesses: four deviations. */
export function accuracyMax(guesses: number): number {
  return Math.max(0.55, 0.5 + 4 * Math.sqrt(0.25 / Math.floor(guesses / 2)))
}
