import type { Config } from '../config/load.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import { createReadPauses, type ReadPauses } from '../engines/wire/read-pauses.ts'
import { connectChatEngine, type EngineTraits } from '../engines/adapters/chat-engine.ts'
import { llamaServer } from '../engines/adapters/llama-server.ts'
import { sglang } from '../engines/adapters/sglang.ts'
import { vllm } from '../engines/adapters/vllm.ts'

type EngineSettings = Config['engines'][number]

const TRAITS: Readonly<Record<EngineSettings['kind'], EngineTraits>> = {
  'llama-server': llamaServer,
  vllm,
  sglang,
}

/** Connects to the configured engines and returns the engines of each model. */
export function connectEngines(config: Config): Map<string, Engine[]> {
  const connected = new Map<string, Engine>()
  const readPauses = createReadPauses(config.api.read_pause_seconds * 1000)
  const settingsOf = new Map(config.engines.map((settings) => [settings.name, settings]))
  const engineFor = (name: string, modelId: string): Engine => {
    const settings = settingsOf.get(name)
    if (settings === undefined)
      throw new Error('a checked configuration refers to an unknown engine')
    const modelName = settings.model_name ?? modelId
    const key = JSON.stringify([name, modelName])
    const engine = connected.get(key) ?? connect(settings, modelName, readPauses)
    connected.set(key, engine)
    return engine
  }
  return new Map(
    config.models.map(({ id, engines }) => [id, engines.map((name) => engineFor(name, id))]),
  )
}

function connect(settings: EngineSettings, modelName: string, readPauses: ReadPauses): Engine {
  const { name, url, slots, api_key: apiKey, kind } = settings
  return connectChatEngine({ name, url, slots, apiKey, modelName, readPauses }, TRAITS[kind])
}
