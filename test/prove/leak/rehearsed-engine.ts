import type { ServerResponse } from 'node:http'
import { padding } from '../../../src/lib/padding.ts'
import { DONE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine, type FakeEngine } from '../../harness/fake-engine/server.ts'
import type { Burst, ObservedPath } from './observed-path.ts'
import type { Kind, Step } from './steps.ts'

/** What one step of an engine made the service send. */
export type Seen = Burst & { readonly kind: Kind }

/** An engine that sends given steps, each when all of the one before has arrived. */
export type RehearsedEngine = FakeEngine & {
  /** Sets the steps of the next generation; resolves to their effects when it has ended. */
  rehearse(steps: readonly Step[]): Promise<Seen[]>
}

/** `write` sends one step; another one makes this a service that pads differently. */
export async function startRehearsedEngine(
  path: ObservedPath,
  write: (response: ServerResponse, step: Step) => void = (response, { wire }) =>
    void response.write(wire),
): Promise<RehearsedEngine> {
  let next: { readonly steps: readonly Step[]; readonly onEnd: (seen: Seen[]) => void } | undefined
  const engine = await startFakeEngine(async ({ response }) => {
    const { steps, onEnd } = next ?? { steps: [], onEnd: () => undefined }
    const seen: Seen[] = []
    begin(response)
    // Earlier bytes belong to the connection, for example session tickets.
    await path.takeBurst()
    for (const step of steps) {
      write(response, step)
      seen.push({ kind: step.kind, ...(await path.takeBurst()) })
    }
    response.end()
    onEnd(seen)
  })
  return Object.assign(engine, {
    rehearse(steps: readonly Step[]) {
      const { promise, resolve } = Promise.withResolvers<Seen[]>()
      next = { steps, onEnd: resolve }
      return promise
    },
  })
}

/** OpenAI pads the characters of a delta's text to a multiple of this. */
const CHARACTERS_STEP = 16

const HEAD = {
  id: 'chatcmpl-0190f8c7e1c27d0a9d3b5a6f7e8d9c0b',
  created: 1_794_696_944,
  model: 'proof/rehearsed',
}

type Delta = {
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
}

type Chunk = { readonly choices?: readonly { readonly delta?: Delta }[] }

/** Writes a step like a service that pads as OpenAI does: by characters, before JSON and UTF-8. */
export function writeLikeOpenai(response: ServerResponse, { wire }: Step): void {
  const events = wire.split('\n\n').filter((event) => event.startsWith('data: {'))
  const written = events.map((event) => {
    const chunk = JSON.parse(event.slice('data: '.length)) as Chunk
    const { content, reasoning_content, tool_calls } = chunk.choices?.[0]?.delta ?? {}
    const text = content ?? reasoning_content ?? tool_calls?.[0]?.function?.arguments ?? ''
    const beyond = Array.from(text).length % CHARACTERS_STEP
    const obfuscation = padding((CHARACTERS_STEP - beyond) % CHARACTERS_STEP)
    return `data: ${JSON.stringify({ ...HEAD, usage: null, ...chunk, obfuscation })}\n\n`
  })
  response.write(written.join('') || DONE)
}
