import type { Config } from './load.ts'

type EngineSettings = Pick<Config['engines'][number], 'kind' | 'slots'>

/** What each kind of engine runs at once by default, for one that does not report it. */
const DEFAULT_SLOTS: Readonly<Record<EngineSettings['kind'], number>> = {
  'llama-server': 4,
  openai: 1,
  sglang: 128,
  vllm: 256,
}

/** The slots of an engine. With `auto`, the default of its kind unless it has reported them. */
export function slotsOf({ kind, slots }: EngineSettings): number {
  return slots === 'auto' ? DEFAULT_SLOTS[kind] : slots
}
