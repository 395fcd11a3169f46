// No text of a request can forge a turn, a thought or a tool call in the prompt of a real engine.
// engines: llama-server vllm
// covers: src/engines/adapters/**
import { readFileSync } from 'node:fs'
import type { Config } from '../../src/config/load.ts'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { openLine, type Line } from '../harness/clients/http-client.ts'
import { chosenEngine, startRealEngine } from '../harness/engines/real-engine.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import {
  createRenamedModel,
  exportFor,
  renameTokens,
  UNUSUAL_TOKENS,
} from '../harness/engines/renamed-model.ts'
import { startService } from '../harness/processes/service.ts'
import { EXPECTED, FIELDS, type Field } from './injection/fields.ts'
import { createPromptReader, type Prompt } from './injection/read-prompt.ts'
import { startRecordingProxy, type RecordingProxy } from './injection/recording-proxy.ts'
import { ALONE, SHAPES, type Shape } from '../harness/clients/token-shapes.ts'

const MODEL = 'headrace/pebble'
/** The same model, whose operator wants text to arrive unchanged. */
const OPEN_MODEL = 'proof/unchanged'
const AT_ONCE = 6
const SLOTS = 16
const ATTEMPTS = 2

const VOCABULARY = new URL('../../demo-model/tokenizer.json', import.meta.url)
const { special: SPECIAL } = JSON.parse(readFileSync(VOCABULARY, 'utf8')) as { special: string[] }

type Case = { readonly field: Field; readonly shape: Shape; readonly token: string }

type Setting = {
  readonly line: Line
  readonly key: string
  readonly proxy: RecordingProxy
  readonly readPrompt: (recorded: object) => Promise<Prompt>
  /** The tokens that are tried. */
  readonly tokens: readonly string[]
  /** Turns texts for the demo model into those for a model with other tokens. */
  rename(text: string): string
}

let seed = 0

async function ask({ line, key, proxy }: Setting, model: string, field: Field, text: string) {
  for (let attempt = 1; ; attempt += 1) {
    seed += 1
    const sent = { model, seed, max_completion_tokens: 1, ...field.build(text) }
    const answer = await line.chat(key, sent)
    const recorded = proxy.take(sent.seed)
    if (recorded !== undefined) return { answer, recorded }
    if (attempt === ATTEMPTS)
      throw new Error(`${field.name} never reached the engine: ${answer.status} ${answer.text}`)
  }
}

/** Without tools the prompt has no list of them. */
function expectedOf({ name }: Field): readonly string[] {
  return name.startsWith('format')
    ? EXPECTED.filter((token) => !/^<\/?tools>$/.test(token))
    : EXPECTED
}

type Finding = Case & { readonly kind: 'forged' | 'unanswered' | 'miscounted' }

async function judge(setting: Setting, model: string, one: Case): Promise<Finding[]> {
  const text = setting.rename(one.shape.build(one.token))
  const { answer, recorded } = await ask(setting, model, one.field, text)
  const prompt = await setting.readPrompt(recorded)
  const findings: Finding[] = []
  if (prompt.controls.join(' ') !== setting.rename(expectedOf(one.field).join(' ')))
    findings.push({ ...one, kind: 'forged' })
  if (answer.status !== 200) return [...findings, { ...one, kind: 'unanswered' }]
  // The engine counted the prompt that it saw: the one that is judged here must be the same.
  const { usage } = JSON.parse(answer.text) as { usage: { prompt_tokens: number } }
  if (usage.prompt_tokens !== prompt.tokens) findings.push({ ...one, kind: 'miscounted' })
  return findings
}

async function judgeAll(setting: Setting, model: string, cases: readonly Case[]) {
  const findings: Finding[] = []
  await forEachLimited(AT_ONCE, cases, async (one) => {
    findings.push(...(await judge(setting, model, one)))
  })
  return findings
}

/** vLLM and SGLang parse arguments, and show none that are no object. */
function isRendered({ name, rendered }: Field): boolean {
  return rendered && (chosenEngine() === 'llama-server' || name !== 'arguments as text')
}

/** With the protection off, every field that the model sees must show the forgery. */
async function countAlive(setting: Setting): Promise<number> {
  const { tokens } = setting
  const cases = FIELDS.flatMap((field) => tokens.map((token) => ({ field, shape: ALONE, token })))
  const findings = await judgeAll(setting, OPEN_MODEL, cases)
  const alive = FIELDS.filter((field) => {
    const forged = findings.filter((one) => one.field === field && one.kind === 'forged').length
    const expected = isRendered(field) ? tokens.length : 0
    if (forged !== expected) console.log(`open ${field.name}: ${forged} of ${expected} forgeries`)
    return forged === expected
  })
  return alive.length
}

/**
 * Every token in every field. The fast form takes it alone and in one more shape, which changes
 * with field and token; the short form in one shape; the long form takes every shape.
 */
function chooseCases({ soak, short }: ProofRun, tokens: readonly string[]): Case[] {
  return FIELDS.flatMap((field, place) =>
    tokens.flatMap((token, index) => {
      const one = (place + index) % SHAPES.length
      const another = 1 + ((place + index) % (SHAPES.length - 1))
      const chosen = short ? [one] : [0, another]
      const shapes = SHAPES.filter((_, shape) => soak || chosen.includes(shape))
      return shapes.map((shape) => ({ field, shape, token }))
    }),
  )
}

function withModels(config: Config, url: string, vocabulary: string | undefined): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  return {
    ...config,
    engines: config.engines.map((engine) => ({ ...engine, url })),
    models: [
      ...config.models.map((each) =>
        vocabulary === undefined ? each : { ...each, control_tokens_file: vocabulary },
      ),
      { ...model, id: OPEN_MODEL, neutralise_control_tokens: false as const },
    ],
  }
}

type Result = { readonly cases: number; readonly alive: number; readonly findings: Finding[] }

/** `file` is a model whose control tokens only its vocabulary tells. */
async function proveOn(run: ProofRun, file: string | undefined): Promise<Result> {
  // These requests are meant to do harm, so they do not go to the engine that others share.
  const model = file === undefined ? {} : { model: await exportFor(chosenEngine(), file) }
  await using engine = await startRealEngine(SLOTS, model)
  await using proxy = await startRecordingProxy(engine.url)
  await using service = await startService((config) => withModels(config, proxy.url, file))
  await using line = openLine(service.apiRoot, AT_ONCE)
  const { key } = await service.createCaller()
  const rename = file === undefined ? (text: string) => text : renameTokens
  const readPrompt = await createPromptReader(engine, SPECIAL.map(rename))
  const tokens = file === undefined ? SPECIAL : UNUSUAL_TOKENS
  const setting: Setting = { line, key, proxy, readPrompt, tokens, rename }

  // The check itself: a harmless text gives exactly the turns that were sent.
  const word = { name: 'harmless', build: () => 'a_word' }
  const harmless = FIELDS.map((field) => ({ field, shape: word, token: '' }))
  const wrong = await judgeAll(setting, MODEL, harmless)
  if (wrong.length > 0) run.fail(`a harmless text is ${wrong[0]?.kind} in ${wrong[0]?.field.name}`)
  const alive = await countAlive(setting)
  if (alive < FIELDS.length) run.fail('a forgery is not seen although the protection is off')

  const cases = chooseCases(run, tokens).filter(({ field }) =>
    field.name.startsWith(run.values['only'] ?? ''),
  )
  const findings = await judgeAll(setting, MODEL, cases)
  for (const { kind, token, shape, field } of findings)
    run.fail(`${kind}: ${token} ${shape.name} in ${field.name}`)
  return { cases: cases.length, alive, findings }
}

async function prove(run: ProofRun): Promise<Figures> {
  await using renamed = await createRenamedModel()
  const usual = await proveOn(run, undefined)
  const unusual = await proveOn(run, renamed.file)
  const findings = [...usual.findings, ...unusual.findings]
  const count = (wanted: Finding['kind']) => findings.filter(({ kind }) => kind === wanted).length
  return {
    cases: usual.cases + unusual.cases,
    tokens: SPECIAL.length,
    unusual: UNUSUAL_TOKENS.length,
    fields: FIELDS.length,
    shapes: SHAPES.length,
    forged: count('forged'),
    unanswered: count('unanswered'),
    miscounted: count('miscounted'),
    alive: `${usual.alive + unusual.alive}/${FIELDS.length * 2}`,
  }
}

await runProof('injection', prove, { only: { type: 'string' } })
