import type { EngineTraits } from '../../../src/engines/adapters/chat-engine.ts'
import { vllm } from '../../../src/engines/adapters/vllm.ts'
import { recordedEvents } from '../../harness/fake-engine/events.ts'

const TRANSCRIPTS = [
  '26-stream',
  '27-stream-usage',
  '28-stream-length',
  '29-stream-utf8',
  '32-tool-auto-stream',
  '36-tool-required-stream',
  '41-tool-parallel-stream',
  '45-tool-cut-off-stream',
  '47-json-schema-stream',
] as const

/** The data of every event of some streams of a real llama-server. */
export const RECORDED = TRANSCRIPTS.map((name) =>
  recordedEvents(name).map((event) => event.slice('data: '.length).trimEnd()),
)

const USAGE = JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 30, completion_tokens: 300, prompt_tokens_details: { cached_tokens: 3 } },
})

/** Speaks of reasoning and of counts in the way that the kind of engine does. */
export function translate(events: readonly string[], traits: EngineTraits): readonly string[] {
  const counted = events.some((data) => data.includes('"usage":{'))
  const whole = counted ? events : [...events.slice(0, -1), USAGE, ...events.slice(-1)]
  if (traits !== vllm) return whole
  return whole.map((data) => data.replace('"reasoning_content"', '"reasoning"'))
}
