import { readFileSync } from 'node:fs'

const TRANSCRIPTS = new URL('../../../demo-model/transcripts/', import.meta.url)

export const DONE = 'data: [DONE]\n\n'

/** One event of a stream, as llama-server sends it. */
export function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ finish_reason: finish, index: 0, delta }]
  return `data: ${JSON.stringify({ choices, object: 'chat.completion.chunk', ...more })}\n\n`
}

export type Counts = {
  readonly prompt: number
  readonly completion: number
  readonly cached?: number
}

export function usage({ prompt, completion, cached }: Counts): string {
  const details = cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }
  const counts = { prompt_tokens: prompt, completion_tokens: completion, ...details }
  return `data: ${JSON.stringify({ choices: [], usage: counts })}\n\n`
}

/** The end of a complete stream. */
export function ending(counts: Counts, finish = 'stop'): string {
  return chunk({}, finish) + usage(counts) + DONE
}

export const ROLE = chunk({ role: 'assistant', content: null })

/** The events of a stream recorded from a real llama-server. */
export function recordedEvents(transcript: string): string[] {
  const text = readFileSync(new URL(`${transcript}.txt`, TRANSCRIPTS), 'utf8')
  const events = [...text.matchAll(/^\[ *[\d.]+\] (data: .*)$/gm)]
  if (events.length === 0) throw new Error(`${transcript} contains no stream`)
  return events.map((match) => `${match[1]}\n\n`)
}
