// Rules between settings, which a schema cannot express.
import { smallestCharge } from '../tenancy/money/smallest-charge.ts'
import { STRIPE_URL } from './payments.ts'
import type { Config } from './schema.ts'

export type Path = readonly (string | number)[]
export type Report = (path: Path, problem: string, name?: string) => void
/** A configuration without its invalid values. */
export type Draft<Value> = Value extends string | number | boolean | null
  ? Value
  : { readonly [Key in keyof Value]?: Draft<Value[Key]> | undefined }

/** Micro-units of a unit of the currency. */
const MICRO = 1_000_000

type Model = Draft<Config['models'][number]>
type Payments = NonNullable<Config['payments']>
type Plan = Draft<Config['plans'][string]>
type Refer = (
  path: Path,
  kind: 'engine' | 'model' | 'plan',
  name: string | undefined,
  known: readonly (string | undefined)[],
) => void

export function checkReferences(draft: Draft<Config>, report: Report): void {
  const { api, engines, models, plans, default_plan } = draft
  const refer: Refer = (path, kind, name, known) => {
    if (name !== undefined && !known.includes(name))
      report(path, `refers to an unknown ${kind}${suggest(name, known)}`)
  }
  const engineNames = engines?.map((engine) => engine?.name) ?? []
  if (api?.port && api.port === api.health_port)
    report(['api', 'health_port'], 'must differ from api.port')
  if (api?.body_bytes_max && (api.body_budget_bytes ?? Infinity) < 4 * api.body_bytes_max)
    report(['api', 'body_budget_bytes'], 'must be at least four times api.body_bytes_max')
  if (api?.cors_origins?.includes('*') && api.cors_origins.length > 1)
    report(['api', 'cors_origins'], "must be either ['*'] or a list of origins")
  for (const kind of ['signing', 'content'] as const)
    if (draft[`accepted_${kind}_keys`]?.length && !draft[`${kind}_key`])
      report([`accepted_${kind}_keys`], `requires HEADRACE_${kind.toUpperCase()}_KEY`)
  if (draft.payments) checkPayments(draft.payments, draft, report)
  for (const [index, engine] of engines?.entries() ?? [])
    if (engine) checkEngine(engine, ['engines', index], report)
  for (const [index, model] of models?.entries() ?? []) {
    const path = ['models', index]
    for (const [place, choice] of model?.engines?.entries() ?? [])
      refer([...path, 'engines', place], 'engine', nameOf(choice), engineNames)
    if (model) checkModel(model, path, report)
  }
  checkWeights(models ?? [], report)
  checkOtherModels(models ?? [], { refer, report })
  for (const [name, plan] of Object.entries(plans ?? {}))
    if (plan)
      checkPlan(plan, ['plans', name], models?.map((model) => model ?? {}) ?? [], {
        refer,
        report,
      })
  if (plans) refer(['default_plan'], 'plan', default_plan, Object.keys(plans))
}

function checkPayments(
  { api_url: apiUrl, top_up_min: least, top_up_max: most = Infinity }: Draft<Payments>,
  { currency, stripe_key: key }: Draft<Config>,
  report: Report,
): void {
  const smallest = smallestCharge(currency ?? '')
  if (currency !== undefined && smallest === undefined)
    report(['currency'], 'must be one that payments can be made in, or without payments')
  if (smallest !== undefined && least !== undefined && least * MICRO < smallest)
    report(
      ['payments', 'top_up_min'],
      `must be at least ${Math.ceil(smallest / MICRO)} in ${currency}: ` +
        'the provider charges nothing smaller',
    )
  if (least !== undefined && least > most)
    report(['payments', 'top_up_min'], 'must not exceed payments.top_up_max')
  if (key !== undefined && isLive(key) && apiUrl !== STRIPE_URL)
    report(['payments', 'api_url'], 'must be the default with a live key')
}

/** Of the two kinds of key, live ones move real money. */
function isLive(key: string): boolean {
  return /^[rs]k_live_/.test(key)
}

function nameOf(choice: Draft<Config['models'][number]['engines'][number]> | undefined) {
  return typeof choice === 'string' ? choice : choice?.name
}

/** An engine has one weight, because its load is that of all its models. */
function checkWeights(models: readonly (Model | undefined)[], report: Report): void {
  const weights = new Map<string, number>()
  for (const [index, model] of models.entries())
    for (const [place, choice] of model?.engines?.entries() ?? []) {
      const name = nameOf(choice)
      const weight = typeof choice === 'object' ? (choice.weight ?? 1) : 1
      if (name === undefined) continue
      if ((weights.get(name) ?? weight) !== weight)
        report(['models', index, 'engines', place], 'has another weight in an earlier model')
      weights.set(name, weights.get(name) ?? weight)
    }
}

function checkEngine(engine: Draft<Config['engines'][number]>, path: Path, report: Report): void {
  const { kind, capabilities, organization, workers, data_parallel_ranks: ranks } = engine
  checkSource(engine, path, report)
  if (kind !== undefined && kind !== 'openai' && capabilities !== undefined)
    report([...path, 'capabilities'], 'requires kind: openai')
  if (kind === 'llama-server' && workers === 'many')
    report([...path, 'workers'], 'must be one: the slots of several servers cannot be told apart')
  if (ranks !== undefined && (workers === 'many' || (kind !== 'vllm' && kind !== 'sglang')))
    report([...path, 'data_parallel_ranks'], 'requires one server of kind vllm or sglang')
  const isApart = (capabilities?.cache ?? 'none') !== 'none' || organization !== undefined
  if (kind === 'openai' && !isApart)
    report(
      [...path, 'capabilities', 'cache'],
      'must be salt:MEMBER or shared, or the engine needs the organization that it serves alone',
    )
}

/** An engine has an address, or is a group with one source of addresses. */
function checkSource(
  { url, discover }: Draft<Config['engines'][number]>,
  path: Path,
  report: Report,
): void {
  if (discover === undefined) {
    if (url === undefined) report([...path, 'url'], 'is missing')
    return
  }
  if (url !== undefined) report([...path, 'discover'], 'must not be set together with url')
  const sources = [discover?.dns, discover?.file, discover?.kubernetes]
  if (sources.filter((source) => source !== undefined).length !== 1)
    report([...path, 'discover'], 'must have one of dns, file, kubernetes')
}

/** Aliases are ids too, so each names one model. Fallbacks do not have fallbacks of their own. */
function checkOtherModels(
  models: readonly (Model | undefined)[],
  { refer, report }: { readonly refer: Refer; readonly report: Report },
): void {
  const ids = models.map((model) => model?.id)
  const taken = new Set(ids)
  for (const [index, model] of models.entries()) {
    for (const [place, alias] of model?.aliases?.entries() ?? []) {
      if (alias !== undefined && taken.has(alias))
        report(['models', index, 'aliases', place], 'is already the id or an alias of a model')
      taken.add(alias)
    }
    for (const [place, id] of model?.fallback?.entries() ?? []) {
      const path = ['models', index, 'fallback', place]
      refer(path, 'model', id, ids)
      if (id !== undefined && id === model?.id) report(path, 'must be another model')
    }
  }
}

function checkModel(model: Model, path: Path, report: Report): void {
  const { default_effort, supported_efforts } = model.reasoning ?? {}
  if (default_effort && supported_efforts && !supported_efforts.includes(default_effort))
    report([...path, 'reasoning', 'default_effort'], 'must be one of supported_efforts')
  const { max_output_tokens: output = Infinity, context_length: context = Infinity } = model
  const initial = model.default_parameters?.max_tokens ?? 0
  if (output < Infinity && output > context)
    report([...path, 'max_output_tokens'], 'must be at most context_length')
  if (initial > Math.min(output, context)) {
    const problem = `must be at most ${initial > output ? 'max_output_tokens' : 'context_length'}`
    report([...path, 'default_parameters', 'max_tokens'], problem)
  }
  if (model.price && context === Infinity)
    report([...path, 'price'], 'requires context_length, which bounds the cost of a request')
}

function checkPlan(
  plan: Plan,
  path: Path,
  models: readonly Model[],
  { refer, report }: { readonly refer: Refer; readonly report: Report },
): void {
  const ids = models.map(({ id }) => id)
  const chosen = Array.isArray(plan.models) ? plan.models : undefined
  for (const [index, id] of chosen?.entries() ?? [])
    refer([...path, 'models', index], 'model', id, ids)
  for (const id of Object.keys(plan.limits?.concurrent_requests_per_model ?? {}))
    refer([...path, 'limits', 'concurrent_requests_per_model', id], 'model', id, ids)
  const prices = plan.prices ?? {}
  for (const id of Object.keys(prices)) {
    refer([...path, 'prices', id], 'model', id, ids)
    const model = models.find((each) => each.id === id)
    if (model && model.context_length === undefined)
      report([...path, 'prices', id], 'requires a context_length of the model')
  }
  if (plan.billing === 'none' && Object.keys(prices).length > 0)
    report([...path, 'prices'], 'require billing: prepaid or postpaid')
  if (plan.billing === undefined || plan.billing === 'none') return
  // Without this check a forgotten price would make a model free. Free models cost 0.
  for (const { id, price } of models) {
    if (id === undefined || price || Object.hasOwn(prices, id)) continue
    if (plan.models === 'all' || chosen?.includes(id))
      report([...path, 'billing'], `requires a price for ${id} (0 makes it free)`)
  }
}

/**
 * Names that share most of their letter pairs count as misspellings of each other; of several, the
 * one with the fewest changes is meant.
 */
export function suggest(name: string, known: readonly (string | undefined)[]): string {
  const pairs = (word: string) => new Set(Array.from(word, (_, at) => word.slice(at, at + 2)))
  const near = known.filter((other) => {
    const shared = pairs(name).intersection(pairs(other ?? '')).size
    return shared / Math.max(name.length, other?.length ?? 0) > 0.5
  })
  const [nearest] = near.toSorted((a = '', b = '') => editDistance(name, a) - editDistance(name, b))
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/** The letters to insert, remove or replace, to make one word of the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + (from[index] === to[at] ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
