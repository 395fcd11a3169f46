// No text of a request can forge a turn, a thought or a tool call in the prompt of a real engine.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Config } from '../../src/config/load.ts'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { startService } from '../harness/service.ts'
import { openLine, type Line } from '../harness/http-client.ts'
import { readPrompt } from './injection/read-prompt.ts'
import { EXPECTED, FIELDS, type Field } from './injection/fields.ts'
import { startRecordingProxy, type RecordingProxy } from './injection/recording-proxy.ts'
import { SHAPES, type Shape } from './injection/shapes.ts'

const MODEL = 'headrace/pebble'
/** The same model, whose operator wants text to arrive as it was sent. */
const OPEN_MODEL = 'proof/as-it-is'
const LANES = 6
const SLOTS = 16
const SHOWN_MAX = 12
const ATTEMPTS = 2

const VOCABULARY = new URL('../../demo-model/tokenizer.json', import.meta.url)

type Case = {
  readonly model: string
  readonly field: Field
  readonly shape: Shape
  readonly token: string
}

type World = {
  readonly line: Line
  readonly key: string
  readonly proxy: RecordingProxy
  readonly engine: LlamaServer
  readonly special: readonly string[]
  nextSeed: number
}

type Tally = {
  cases: number
  forged: number
  /** Requests that were not answered with 200, and prompts of another length than was counted. */
  unanswered: number
  miscounted: number
  readonly forgedIn: Map<string, number>
}

async function ask(world: World, { model, field }: Case, text: string) {
  for (let attempt = 1; ; attempt += 1) {
    world.nextSeed += 1
    const seed = world.nextSeed
    const body = { model, seed, max_completion_tokens: 1, ...field.build(text) }
    const sent = { method: 'POST', path: '/chat/completions', body: JSON.stringify(body) }
    const answer = await world.line.send({ ...sent, authorization: `Bearer ${world.key}` })
    const recorded = world.proxy.take(seed)
    if (recorded !== undefined) return { answer, recorded }
    if (attempt === ATTEMPTS)
      throw new Error(`${field.name} never reached the engine: ${answer.status} ${answer.text}`)
  }
}

async function judge(world: World, one: Case, tally: Tally): Promise<void> {
  const { answer, recorded } = await ask(world, one, one.shape.build(one.token))
  const prompt = await readPrompt(world.engine, recorded, world.special)
  const harmless = expectedOf(one.field)
  tally.cases += 1
  const forged = prompt.controls.join(' ') !== harmless.join(' ')
  if (forged) {
    tally.forged += 1
    tally.forgedIn.set(one.field.name, (tally.forgedIn.get(one.field.name) ?? 0) + 1)
    const wanted = one.model === MODEL && tally.forged <= SHOWN_MAX
    if (wanted) console.log(`forged: ${one.token} ${one.shape.name} in ${one.field.name}`)
  }
  if (answer.status !== 200) {
    tally.unanswered += 1
    if (tally.unanswered <= SHOWN_MAX)
      console.log(`${answer.status}: ${one.token} ${one.shape.name} in ${one.field.name}`)
    return
  }
  // The engine counted what it really saw: the prompt that is judged here must be that one.
  const { usage } = JSON.parse(answer.text) as { usage: { prompt_tokens: number } }
  if (usage.prompt_tokens !== prompt.tokens) tally.miscounted += 1
}

/** Without tools there is no list of them in the prompt. */
function expectedOf({ name }: Field): readonly string[] {
  const listless = EXPECTED.filter((token) => !/^<\/?tools>$/.test(token))
  return name.startsWith('format') ? listless : EXPECTED
}

async function judgeAll(world: World, cases: readonly Case[]): Promise<Tally> {
  const tally = { cases: 0, forged: 0, unanswered: 0, miscounted: 0, forgedIn: new Map() }
  const waiting = cases.values()
  const lane = async () => {
    for (const one of waiting) await judge(world, one, tally)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return tally
}

/** The check itself: a harmless text gives exactly the turns that were sent. */
async function judgeHarmless(world: World): Promise<boolean> {
  const harmless = { name: 'harmless', build: () => 'a_word' }
  const cases = FIELDS.map((field) => ({ model: MODEL, field, shape: harmless, token: '' }))
  const { forged, unanswered, miscounted } = await judgeAll(world, cases)
  return forged + unanswered + miscounted === 0
}

/** With the protection off, every place that the model sees must show the forgery. */
async function countAlive(world: World): Promise<number> {
  const [alone] = SHAPES
  if (alone === undefined) throw new Error('no shape')
  const cases = FIELDS.flatMap((field) =>
    world.special.map((token) => ({ model: OPEN_MODEL, field, shape: alone, token })),
  )
  const { forgedIn } = await judgeAll(world, cases)
  const alive = FIELDS.filter(({ name, rendered }) => {
    const seen = forgedIn.get(name) ?? 0
    const expected = rendered ? world.special.length : 0
    if (seen !== expected) console.log(`open ${name}: ${seen} of ${expected} forgeries seen`)
    return seen === expected
  })
  return alive.length
}

/**
 * Every token in every place. The fast form takes it alone and in one more shape, another one for
 * each place and token; the long one takes every shape.
 */
function chooseCases(special: readonly string[], every: boolean): Case[] {
  return FIELDS.flatMap((field, place) =>
    special.flatMap((token, index) => {
      const another = 1 + ((place + index) % (SHAPES.length - 1))
      return SHAPES.filter((_, shape) => every || shape === 0 || shape === another).map(
        (shape) => ({
          model: MODEL,
          field,
          shape,
          token,
        }),
      )
    }),
  )
}

function withModels(config: Config, url: string): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  return {
    ...config,
    engines: config.engines.map((engine) => ({ ...engine, url })),
    models: [
      ...config.models,
      { ...model, id: OPEN_MODEL, neutralise_control_tokens: false as const },
    ],
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  })
  const { special } = JSON.parse(readFileSync(VOCABULARY, 'utf8')) as { special: string[] }
  // What is sent here is meant to hurt, so it is not sent to the engine that others share.
  await using engine = await startLlamaServer(SLOTS)
  await using proxy = await startRecordingProxy(engine.url)
  await using service = await startService((config) => withModels(config, proxy.url))
  await using line = openLine(service.apiRoot, LANES)
  const { key } = await service.createCaller()
  const world: World = { line, key, proxy, engine, special, nextSeed: 0 }
  const harmless = await judgeHarmless(world)
  const alive = await countAlive(world)
  const cases = chooseCases(special, values.soak).filter(({ field }) =>
    field.name.startsWith(values.only),
  )
  const tally = await judgeAll(world, cases)
  for (const [name, count] of tally.forgedIn) console.log(`${name}: ${count} forged`)
  console.log(
    `injection: cases=${tally.cases} tokens=${special.length} fields=${FIELDS.length} ` +
      `shapes=${SHAPES.length} forged=${tally.forged} unanswered=${tally.unanswered} ` +
      `miscounted=${tally.miscounted} harmless=${harmless} alive=${alive}/${FIELDS.length}`,
  )
  const { forged, unanswered, miscounted } = tally
  return harmless && alive === FIELDS.length && forged + unanswered + miscounted === 0
}

process.exitCode = (await main()) ? 0 : 1
