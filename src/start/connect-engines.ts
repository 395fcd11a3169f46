import type { Config } from '../config/load.ts'
import { slotsOf } from '../config/slots.ts'
import { createCacheSalts } from '../engines/adapters/cache-salt.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import { createReadPauses } from '../engines/wire/read-pauses.ts'
import { connectChatEngine, serverOf, type EngineTraits } from '../engines/adapters/chat-engine.ts'
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
  const cacheSalts = createCacheSalts(config.signing_key)
  const settingsOf = new Map(config.engines.map((settings) => [settings.name, settings]))
  const names = namesByServer(config)
  const connect = (settings: EngineSettings, modelName: string): Engine => {
    const { name, url, api_key: apiKey, kind, prompt_cache: cache } = settings
    const slots = slotsOf(settings)
    const traits = TRAITS[kind]
    // Slots have one owner each, which two connections to a server could not agree on.
    const apart = traits.promptCache === 'salted' || names.get(serverOf(url))?.size === 1
    const salts = cache === 'auto' && apart ? { cacheSalts } : {}
    return connectChatEngine({ name, url, slots, apiKey, modelName, readPauses, ...salts }, traits)
  }
  const engineFor = (name: string, modelId: string): Engine => {
    const settings = settingsOf.get(name)
    if (settings === undefined)
      throw new Error('a checked configuration refers to an unknown engine')
    const modelName = settings.model_name ?? modelId
    const key = JSON.stringify([name, modelName])
    const engine = connected.get(key) ?? connect(settings, modelName)
    connected.set(key, engine)
    return engine
  }
  return new Map(
    config.models.map(({ id, engines }) => [id, engines.map((name) => engineFor(name, id))]),
  )
}

/** The engines and model names under which each server is used. */
function namesByServer({ engines, models }: Config): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const { name, url, model_name: modelName } of engines) {
    const server = serverOf(url)
    const known = names.get(server) ?? new Set()
    names.set(server, known)
    for (const { id } of models.filter((model) => model.engines.includes(name)))
      known.add(JSON.stringify([name, modelName ?? id]))
  }
  return names
}

/** The servers whose prompt caches belong to their slots. */
export function slotServers({ engines }: Config): readonly string[] {
  const bySlot = engines.filter(({ kind }) => TRAITS[kind].promptCache === 'slots')
  return [...new Set(bySlot.map(({ url }) => serverOf(url)))]
}
