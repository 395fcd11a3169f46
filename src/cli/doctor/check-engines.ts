import type { Config } from '../../config/load.ts'
import { slotsOf } from '../../config/slots.ts'
import type { GroupState } from '../../engines/discovery/discovery.ts'
import { inspectEngine, type EngineInspection } from '../../engines/adapters/inspect-engine.ts'
import { EngineError } from '../../engines/adapters/engine.ts'
import { discoverOnce } from '../../start/serving/discover-once.ts'
import type { KnownEngine, KnownEngines } from '../../start/serving/expand-engines.ts'
import { countOf } from '../count-of.ts'
import { failureOf } from '../engines/failure-of.ts'
import type { ProcessReport } from './check-processes.ts'
import {
  failed,
  notChecked,
  ok,
  resultOf,
  runChecks,
  skipChecks,
  warning,
  type Check,
  type Finding,
  type Place,
  type Result,
  type Time,
} from './run-checks.ts'

type Engine = KnownEngine
type Subject = {
  readonly engine: Engine
  readonly inspection: EngineInspection
  readonly config: Config
  readonly known: KnownEngines
}

/** `reports` are those of the processes that run, which have probed the engines. */
export async function checkEngines(
  config: Config,
  reports: Promise<readonly ProcessReport[]>,
  time: Time,
): Promise<Result[]> {
  if (config.engines.length === 0)
    return [resultOf({ group: 'engines' }, 'configured', warning('none', 'Add engines.'))]
  const { groups, ...known } = await discoverOnce(config)
  const discovered = Object.entries(groups).map(([name, state]) =>
    resultOf({ group: 'engines', of: name }, 'discovered', judgeGroup(state)),
  )
  const results = known.engines.map(async (engine) => [
    ...(await checkEngine(config, known, engine, time)),
    resultOf(
      placeOf(engine),
      'capabilities',
      judgeCapabilities(modelsOf(config, known, engine), engine, await reports),
    ),
  ])
  const probed = await reports
  const compared = [...known.namesOf]
    .filter(([, names]) => names.length > 1)
    .map(([id, names]) =>
      resultOf({ group: 'engines', of: id }, 'alike', judgeDifferences(names, probed)),
    )
  return [...discovered, ...(await Promise.all(results)).flat(), ...compared]
}

/** Requests that need what only some engines of a model have cannot use the others. */
function judgeDifferences(names: readonly string[], reports: readonly ProcessReport[]): Finding {
  const probes = names.map((name) => [name, probeOf(name, reports)] as const)
  const all = new Set(probes.flatMap(([, probe]) => Object.keys(probe ?? {})))
  const differing = [...all].filter((capability) => {
    const values = probes.flatMap(([, probe]) => (probe ? [probe[capability] === true] : []))
    return new Set(values).size > 1
  })
  if (differing.length === 0) return ok(countOf(names.length, 'engine'))
  const without = differing.map((capability) => {
    const lacking = probes.filter(([, probe]) => probe && probe[capability] !== true)
    return `${capability} missing on ${lacking.map(([name]) => name).join(', ')}`
  })
  return warning(without.join('; '), 'Start all engines of a model with the same flags.')
}

function probeOf(name: string, reports: readonly ProcessReport[]) {
  return reports.map(({ engines }) => engines?.[name]).find((each) => each)
}

function judgeGroup({ reason, engines }: GroupState): Finding {
  if (engines !== null && reason === null) return ok(countOf(engines, 'engine'))
  const hint = 'Correct the source, or discover of the engine: see docs/operating/reload.md.'
  return failed(reason ?? 'no answer', hint)
}

function modelsOf(config: Config, { namesOf: known }: KnownEngines, { name }: Engine) {
  return config.models.filter(({ id }) => known.get(id)?.includes(name))
}

function placeOf({ name }: Engine): Place {
  return { group: 'engines', of: name }
}

async function checkEngine(
  config: Config,
  known: KnownEngines,
  engine: Engine,
  time: Time,
): Promise<Result[]> {
  const place = placeOf(engine)
  const { host } = new URL(engine.url)
  const inspected = { ...engine, apiKey: engine.api_key }
  try {
    const inspection = await inspectEngine(
      inspected,
      AbortSignal.timeout(Math.ceil(time.connectMs)),
    )
    return [
      resultOf(place, 'reachable', ok(host)),
      resultOf(place, 'credentials', ok(engine.api_key === undefined ? 'none needed' : 'accepted')),
      ...(await runChecks(place, { engine, inspection, config, known }, CHECKS, time)),
    ]
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    if (error.kind === 'credentials')
      return [
        resultOf(place, 'reachable', ok(host)),
        resultOf(place, 'credentials', judgeCredentials(engine)),
        ...skipChecks(place, CHECKS, 'the engine rejects the key'),
      ]
    const gated = [{ name: 'credentials' }, ...CHECKS]
    return [
      resultOf(place, 'reachable', judgeUnreachable(error, host)),
      ...skipChecks(place, gated, 'the engine is not reachable'),
    ]
  }
}

function judgeCredentials({ api_key_env: variable }: Engine): Finding {
  return variable === undefined
    ? failed('the engine wants a key', 'Set api_key_env of the engine.')
    : failed('the engine rejects the key', `Correct ${variable}.`)
}

function judgeUnreachable(error: EngineError, host: string): Finding {
  const found = `${host}: ${failureOf(error)}`
  if (error.kind === 'busy') return failed(found, 'Wait, then look into its log.')
  return error.kind === 'connection'
    ? failed(found, 'Start it, or correct its url.')
    : failed(found, 'Check that the url is the one of an engine.')
}

/** The names under which requests reach the engine: its own, or those of its models. */
function namesOf({ config, known, engine }: Subject): readonly string[] {
  const ids = modelsOf(config, known, engine)
  return engine.model_name === undefined ? ids.map(({ id }) => id) : [engine.model_name]
}

const modelName: Check<Subject> = {
  name: 'model',
  run(subject) {
    const { engine, inspection, config, known } = subject
    const { models } = inspection
    const wanted = namesOf(subject)
    const absent = wanted.filter((name) => !models.includes(name))
    const found = `serves ${models.join(', ') || 'nothing'}`
    if (modelsOf(config, known, engine).length === 0)
      return warning(found, 'Name the engine in a model, or remove it.')
    if (absent.length === 0) return ok(found)
    const hint = 'Correct model_name, or start the engine with this name.'
    // Others than vLLM answer under any name; then only a name that somebody wrote is compared.
    if (engine.kind === 'vllm') return failed(`${found}, not ${absent.join(', ')}`, hint)
    return engine.model_name === undefined
      ? ok(found)
      : warning(`${found}, not ${absent.join(', ')}`, hint)
  },
}

const slots: Check<Subject> = {
  name: 'slots',
  run({ engine, inspection }) {
    if (engine.slots === 'auto' && inspection.slots === undefined)
      return warning(
        `auto: ${slotsOf(engine)} assumed; ${engine.kind} reports none`,
        'Set slots of the engine to what it was started with (vLLM: --max-num-seqs).',
      )
    if (engine.slots === 'auto') return ok(`auto: ${inspection.slots}`)
    if (inspection.slots === undefined) return ok(`${engine.slots}; ${engine.kind} reports none`)
    return engine.slots <= inspection.slots
      ? ok(`${engine.slots} of its ${inspection.slots}`)
      : warning(
          `${engine.slots}, but the engine has ${inspection.slots}`,
          'Lower slots, or raise --parallel: requests wait in the engine, and no prompt is reused.',
        )
  },
}

const CHECKS = [modelName, slots]

export function judgeCapabilities(
  models: Config['models'],
  engine: Engine,
  reports: readonly ProcessReport[],
): Finding {
  const probed = probeOf(engine.name, reports)
  if (probed === undefined || probed === null) {
    const begun = reports.some(({ engines }) => engines?.[engine.name] === null)
    return begun
      ? notChecked('an api process is probing it', 'Run headrace doctor again in a minute.')
      : notChecked('no api process has probed it', 'Run headrace engine probe.')
  }
  const reasons = models.some(({ reasoning }) => reasoning !== undefined)
  const missing = Object.entries(probed)
    .filter(([name, has]) => has !== true && (name !== 'reasoning' || reasons))
    .map(([name]) => name)
  // A llama-server that cannot keep prompts apart is not allowed to reuse any.
  const isLeak = probed['cache_isolation'] === false && engine.kind !== 'llama-server'
  if (isLeak && engine.capabilities?.cache !== 'shared')
    return failed(
      'organizations can find out what others asked',
      'See docs/operating/engines.md#prompt-caches.',
    )
  return missing.length === 0
    ? ok('complete')
    : warning(`without ${missing.join(', ')}`, 'See docs/operating/engines.md#the-probe.')
}
