import { bytesOf } from '../../harness/engines/engine-bytes.ts'
import type { ChatRequest } from '../../../src/contract/chat-request.ts'
import type { EngineTraits } from '../../../src/engines/adapters/chat-engine.ts'
import { EngineError, type Engine, type StopSignal } from '../../../src/engines/adapters/engine.ts'
import { llamaServer } from '../../../src/engines/adapters/llama-server.ts'
import { readPieces } from '../../../src/engines/adapters/read-pieces.ts'
import { sglang } from '../../../src/engines/adapters/sglang.ts'
import { vllm } from '../../../src/engines/adapters/vllm.ts'
import { recordedEvents } from '../../harness/fake-engine/events.ts'
import { createRandom } from '../../harness/figures/random.ts'
import { mutateStream, type Hostile } from './mutate-stream.ts'

export type Case = {
  readonly seed: number
  /** The recorded stream before its mutation. */
  readonly events: readonly string[]
  readonly hostile: Hostile
  readonly traits: EngineTraits
  readonly asked: Partial<ChatRequest>
  readonly slow: boolean
}

const TRAITS: readonly EngineTraits[] = [llamaServer, llamaServer, vllm, sglang]
/** More than any mutated stream contains. */
const CHARACTERS_MAX = 1_000_000

/** The data of every event of some streams of a real llama-server. */
const RECORDED = [
  '26-stream',
  '27-stream-usage',
  '28-stream-length',
  '29-stream-utf8',
  '32-tool-auto-stream',
  '36-tool-required-stream',
  '41-tool-parallel-stream',
  '45-tool-cut-off-stream',
  '47-json-schema-stream',
].map((name) => recordedEvents(name).map((event) => event.slice('data: '.length).trimEnd()))

const USAGE = JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 30, completion_tokens: 300, prompt_tokens_details: { cached_tokens: 3 } },
})

/** Puts reasoning and counts in the form of the kind of engine. */
function translate(events: readonly string[], traits: EngineTraits): readonly string[] {
  const counted = events.some((data) => data.includes('"usage":{'))
  const whole = counted ? events : [...events.slice(0, -1), USAGE, ...events.slice(-1)]
  if (traits !== vllm) return whole
  return whole.map((data) => data.replace('"reasoning_content"', '"reasoning"'))
}

export function chooseCase(seed: number): Case {
  const random = createRandom(seed)
  const traits = random.pick(TRAITS)
  const events = translate(random.pick(RECORDED), traits)
  const stream = random.chance(0.8)
  const include_usage = random.chance(0.5)
  const include_obfuscation = random.chance(0.5)
  const options = stream ? { stream_options: { include_usage, include_obfuscation } } : {}
  const single = random.chance(0.1) ? { parallel_tool_calls: false } : {}
  const asked = { stream, ...options, ...single }
  const slow = random.chance(0.1)
  return { seed, events, hostile: mutateStream(events, random), traits, asked, slow }
}

/** An engine whose answer is in memory, in the parts in which it would have arrived. */
export function engineOf({ hostile, traits, asked }: Case): Engine {
  const toolCallsMax = asked.parallel_tool_calls === false ? 1 : Infinity
  async function* send(signal: StopSignal): AsyncGenerator<Buffer[]> {
    for (const part of hostile.parts) yield [part]
    if (hostile.ending === 'silence') {
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', { handleEvent: resolve })
      await promise
    }
    if (signal.aborted) throw signal.reason
    if (hostile.ending === 'break') throw new EngineError('transport', 'hostile', 'broke')
  }
  return {
    name: 'hostile',
    server: 'hostile',
    modelName: 'hostile',
    slots: 1,
    promptCache: 'none',
    declared: {},
    observed: {},
    can: () => true,
    known: {},
    learn: () => undefined,
    generate: (_generation, signal) =>
      Promise.resolve(
        readPieces(
          bytesOf(send(signal)),
          { ...traits, engine: 'hostile', observed: {} },
          { toolCallsMax, charactersMax: CHARACTERS_MAX, pauses: undefined },
        ),
      ),
    countPrompt: () => Promise.resolve(1),
    readTokens: () => Promise.resolve(undefined),
    tokenize: () => Promise.resolve([]),
    countSlots: () => Promise.resolve(1),
    readLoad: () => Promise.resolve({ running: 0, waiting: 0 }),
    close: () => undefined,
  }
}
