import { slotsOf } from '../config/slots.ts'
import type { Config } from '../config/load.ts'
import { createCacheSalts } from '../engines/adapters/cache-salt.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import { createReadPauses } from '../engines/wire/read-pauses.ts'
import { connectChatEngine, serverOf, type EngineTraits } from '../engines/adapters/chat-engine.ts'
import { llamaServer } from '../engines/adapters/llama-server.ts'
import { openAi } from '../engines/adapters/openai/openai.ts'
import { sglang } from '../engines/adapters/sglang.ts'
import { vllm } from '../engines/adapters/vllm.ts'
import type { KnownEngine, KnownEngines } from './serving/expand-engines.ts'

type EngineSettings = Config['engines'][number]

const TRAITS: Readonly<Record<Exclude<EngineSettings['kind'], 'openai'>, EngineTraits>> = {
  'llama-server': llamaServer,
  vllm,
  sglang,
}

function traitsOf({ kind, capabilities }: Pick<EngineSettings, 'kind' | 'capabilities'>) {
  return kind === 'openai' ? openAi(capabilities) : TRAITS[kind]
}

/** A connection would lead to the same worker again, and metrics are those of any one of them. */
const MANY_WORKERS = { keepAlive: false, loadNames: undefined } as const

/** Of a busy process: tokens that arrive within it share a write. */
const READ_PAUSE_MS_MAX = 60

/** Connects to engines, and keeps the connections of those that did not change. */
export type EngineConnector = {
  /** The engines of each model. One whose settings are as before is the same object. */
  connect(known: KnownEngines, config: Pick<Config, 'models'>): Map<string, Engine[]>
}

export function createEngineConnector(
  config: Pick<Config, 'signing_key'>,
  readPauseMsMax = READ_PAUSE_MS_MAX,
): EngineConnector {
  const readPauses = createReadPauses(readPauseMsMax)
  const cacheSalts = createCacheSalts(config.signing_key)
  let connected = new Map<string, Engine>()

  function connect(settings: KnownEngine, modelName: string, apart: boolean): Engine {
    const {
      name,
      url,
      rank,
      api_key: apiKey,
      prompt_cache: cache,
      organization,
      workers,
    } = settings
    const slots = slotsOf(settings)
    const traits = { ...traitsOf(settings), ...(workers === 'many' ? MANY_WORKERS : {}) }
    const isReused = traits.promptCache === 'slots' ? cache === 'exclusive' : cache !== 'none'
    const salts = isReused && apart ? { cacheSalts } : {}
    const own = { name, url, rank, slots, apiKey, modelName, organizationId: organization }
    return connectChatEngine({ ...own, workers, readPauses, ...salts }, traits)
  }

  return {
    connect(known, { models }) {
      const settingsOf = new Map(known.engines.map((settings) => [settings.name, settings]))
      const names = namesByServer(known)
      const next = new Map<string, Engine>()
      const engineFor = (name: string, modelId: string): Engine => {
        const settings = settingsOf.get(name)
        if (settings === undefined)
          throw new Error('a checked configuration refers to an unknown engine')
        const modelName = settings.model_name ?? modelId
        // Slots have one owner each, which two connections to a server could not agree on.
        const apart =
          traitsOf(settings).promptCache !== 'slots' ||
          names.get(serverOf(settings.url))?.size === 1
        const key = JSON.stringify([settings, modelName, apart])
        const engine = next.get(key) ?? connected.get(key) ?? connect(settings, modelName, apart)
        next.set(key, engine)
        return engine
      }
      const enginesOf = ({ id }: Config['models'][number]) =>
        (known.namesOf.get(id) ?? []).map((name) => engineFor(name, id))
      const byModel = new Map(models.map((model) => [model.id, enginesOf(model)]))
      connected = next
      return byModel
    },
  }
}

/** The engines and model names under which each server is used. */
function namesByServer({
  engines,
  namesOf,
}: KnownEngines): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  const modelsOf = new Map<string, string[]>()
  for (const [id, own] of namesOf)
    for (const name of own) modelsOf.set(name, [...(modelsOf.get(name) ?? []), id])
  for (const { name, url, model_name: modelName } of engines) {
    const server = serverOf(url)
    const known = names.get(server) ?? new Set()
    names.set(server, known)
    for (const id of modelsOf.get(name) ?? []) known.add(JSON.stringify([name, modelName ?? id]))
  }
  return names
}
