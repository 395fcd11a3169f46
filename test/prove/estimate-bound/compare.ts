import * as fc from 'fast-check'
import type { ChatRequest } from '../../../src/contract/chat-request.ts'
import type { TemplateCost } from '../../../src/contract/prompt-bound.ts'
import { connectChatEngine } from '../../../src/engines/adapters/chat-engine.ts'
import { EngineError, type Engine } from '../../../src/engines/adapters/engine.ts'
import { llamaServer } from '../../../src/engines/adapters/llama-server.ts'
import { createNeutralise } from '../../../src/engines/adapters/neutralise.ts'
import { measureTemplate } from '../../../src/engines/adapters/template/measure-template.ts'
import { createReadPauses } from '../../../src/engines/wire/read-pauses.ts'
import type { ServedModel } from '../../../src/inference/catalog.ts'
import { estimateRequest } from '../../../src/inference/estimate.ts'
import { openRecord } from '../../../src/inference/open-record.ts'
import type { Caller } from '../../../src/tenancy/caller.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { HOSTILE, request } from './requests.ts'

const SAMPLE = 500

const neutralise = createNeutralise([])
const caller = { prices: new Map(), models: 'all', keyModels: null } as unknown as Caller

/** The bound that is reserved by, and the lower bound by which a prompt is refused uncounted. */
function boundsOf(value: object, cost: TemplateCost) {
  const body = { read: true, value } as const
  const served = { model: { id: 'm' }, neutralise, templateCost: () => cost }
  const estimate = estimateRequest(body)
  const model = served as unknown as ServedModel
  const opened = openRecord('id', caller, body, estimate, model, { instance: 'process' })
  return { most: opened.promptTokensMax, least: estimate.promptTokensMin }
}

/** Undefined if the template rejects this order of roles, or this id. */
async function countOn(engine: Engine, value: object): Promise<number | undefined> {
  const asked = { outputTokensMax: 1, organizationId: '', neutralise, effort: 'high' }
  const generation = { ...asked, request: value as unknown as ChatRequest }
  try {
    return await engine.countPrompt(generation, new AbortController().signal)
  } catch (error) {
    if (error instanceof EngineError && error.kind !== 'connection') return undefined
    throw error
  }
}

export type Compared = {
  readonly compared: number
  /** Of which the template accepted so many. */
  readonly accepted: number
  /** The largest share of its bound that a prompt had. */
  readonly fullest: number
}

/** Compares the engine's own count of so many requests with the bounds of each. */
export async function compareBounds(
  run: ProofRun,
  { name, url, apiKey }: { readonly name: string; readonly url: string; readonly apiKey?: string },
  count: number,
): Promise<Compared> {
  const pauses = { readPauses: createReadPauses(0) }
  const options = { name: 'e', url, apiKey, slots: 2, modelName: 'pebble', ...pauses }
  const engine = connectChatEngine(options, llamaServer)
  const cost = await measureTemplate(engine)
  if (cost === undefined) throw new Error(`the engine with ${name} does not count`)
  let accepted = 0
  let fullest = 0
  const compare = async (value: object) => {
    const { most, least } = boundsOf(value, cost)
    const counted = await countOn(engine, value)
    if (counted === undefined) return
    accepted += 1
    fullest = Math.max(fullest, counted / most)
    if (counted > most || counted < least) {
      const shown = JSON.stringify(value).slice(0, 300)
      run.fail(`${name}: ${counted} tokens, bounds ${least} and ${most}: ${shown}`)
    }
  }
  for (const value of HOSTILE) await compare(value)
  for (let done = 0; done < count; done += SAMPLE) {
    const numRuns = Math.min(SAMPLE, count - done)
    const seed = run.random.between(0, 2 ** 31 - 1)
    for (const value of fc.sample(request, { seed, numRuns })) await compare(value)
  }
  engine.close()
  if (accepted === 0) run.fail(`${name} accepts no conversation`)
  return { compared: count + HOSTILE.length, accepted, fullest }
}
