// The turns of a conversation meet again the engine that has read the earlier ones.
import { parseArgs } from 'node:util'
import type { Config } from '../../src/config/load.ts'
import { startService } from '../harness/service.ts'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { openLine, type Line } from '../harness/http-client.ts'
import { runWorkload, type CacheTally, type Workload } from './affinity/workload.ts'
import { createRandom } from '../harness/random.ts'

const ENGINES = 4
const SLOTS = 4
/** Fewer conversations than the slots can remember, since chance does not spread them evenly. */
const FAST: Workload = { conversations: 12, turns: 8, replyTokensMax: 24 }
const SOAK: Workload = { conversations: 12, turns: 24, replyTokensMax: 48 }
const AT_ONCE = 4
/** How much higher the share of cached tokens is to be than without affinity. */
const GAIN_MIN = 0.15

const MODEL = 'proof/fleet'
const engineName = (index: number) => `engine-${index}`
const aloneModel = (index: number) => `proof/alone-${index}`

/** All engines under one id, and each by itself under another, so that turns can be dealt round. */
function withFleet(config: Config, servers: readonly LlamaServer[]): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  const kind = 'llama-server' as const
  const engines = servers.map(({ url }, index) => ({
    name: engineName(index),
    kind,
    url,
    slots: SLOTS,
    model_name: 'pebble',
  }))
  const alone = servers.map((_, index) => ({
    ...model,
    id: aloneModel(index),
    engines: [engineName(index)],
  }))
  const fleet = { ...model, id: MODEL, engines: engines.map(({ name }) => name) }
  return { ...config, engines, models: [fleet, ...alone] }
}

type Rotation = { readonly name: string; modelOf(): string }

function roundRobin(): Rotation {
  let next = 0
  return {
    name: 'round robin',
    modelOf() {
      next = (next + 1) % ENGINES
      return aloneModel(next)
    },
  }
}

const AFFINITY: Rotation = { name: 'affinity', modelOf: () => MODEL }

/** Each way has engines of its own that have read nothing yet, and the same conversations. */
async function measure(rotation: Rotation, workload: Workload, seed: number): Promise<CacheTally> {
  await using starting = new AsyncDisposableStack()
  const servers: LlamaServer[] = []
  for (let index = 0; index < ENGINES; index += 1)
    servers.push(starting.use(await startLlamaServer(SLOTS)))
  const service = starting.use(await startService((config) => withFleet(config, servers)))
  const line: Line = starting.use(openLine(service.apiRoot, AT_ONCE))
  const { key } = await service.createCaller()
  const random = createRandom(seed)
  const tally = await runWorkload(line, key, workload, random, AT_ONCE, () => rotation.modelOf())
  console.log(
    `${rotation.name}: ${tally.turns} turns, ${tally.cachedTokens} of ${tally.promptTokens} ` +
      'prompt tokens cached',
  )
  return tally
}

const ratio = ({ cachedTokens, promptTokens }: CacheTally) => cachedTokens / promptTokens

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const workload = values.soak ? SOAK : FAST
  const affinity = await measure(AFFINITY, workload, seed)
  const dealt = await measure(roundRobin(), workload, seed)
  console.log(
    `affinity: engines=${ENGINES} slots=${SLOTS} conversations=${workload.conversations} ` +
      `turns=${affinity.turns} cached=${(100 * ratio(affinity)).toFixed(1)}% ` +
      `round_robin=${(100 * ratio(dealt)).toFixed(1)}% seed=${seed}`,
  )
  return ratio(affinity) >= ratio(dealt) + GAIN_MIN
}

process.exitCode = (await main()) ? 0 : 1
