import type { ServerResponse } from 'node:http'
import { padding } from '../../../src/lib/padding.ts'
import type { Step } from './steps.ts'

/** OpenAI pads the characters of a delta's text up to a multiple of this. */
const CHARACTERS_STEP = 16

const HEAD = {
  id: 'chatcmpl-0190f8c7e1c27d0a9d3b5a6f7e8d9c0b',
  object: 'chat.completion.chunk',
  created: 1_794_696_944,
  model: 'proof/rehearsed',
}

type Delta = {
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
}

type Chunk = { readonly choices?: readonly { readonly delta?: Delta }[] }

/** Writes a step as a service would that pads like OpenAI: by characters, before JSON and UTF-8. */
export function speakLikeOpenai(response: ServerResponse, { wire }: Step): void {
  const events = wire.split('\n\n').filter((event) => event.startsWith('data: {'))
  const written = events.map((event) => {
    const chunk = JSON.parse(event.slice('data: '.length)) as Chunk
    const delta = chunk.choices?.[0]?.delta ?? {}
    const text =
      delta.content ?? delta.reasoning_content ?? delta.tool_calls?.[0]?.function?.arguments ?? ''
    const missing =
      (CHARACTERS_STEP - (Array.from(text).length % CHARACTERS_STEP)) % CHARACTERS_STEP
    const padded = { ...HEAD, usage: null, ...chunk, obfuscation: padding(missing) }
    return `data: ${JSON.stringify(padded)}\n\n`
  })
  response.write(written.join('') || 'data: [DONE]\n\n')
}
