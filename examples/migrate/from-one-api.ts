// Converts the channels and tokens of one-api or new-api. Needs a clone of Headrace.
//
//   npx node examples/migrate/from-one-api.ts channels.json --out new --tokens tokens.json
//
// --kind vllm, sglang or llama-server says what the servers are (default: vllm).
// docs/migrate/one-api.md says how to export both tables, and what to do next.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import * as target from './target.ts'

type Row = Readonly<Record<string, unknown>>

/** Types of channels that lead to any server with the convention of OpenAI. */
const COMPATIBLE = new Set([1, 8, 50])
const ENABLED = 1
const NEVER = -1
/** Units of quota in one dollar, unless the installation changed it. */
const QUOTA_PER_DOLLAR = 500_000

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const namesOf = (value: unknown) =>
  textOf(value)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

function mappingOf(value: unknown): Readonly<Record<string, string>> {
  const text = textOf(value)
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>)
}

class OneApi {
  readonly notes: string[] = []
  readonly #engines = new target.Engines()
  readonly #models = new Map<string, target.Model>()
  readonly #kind: target.Kind

  constructor(kind: target.Kind) {
    this.#kind = kind
  }

  convert(channels: readonly Row[], tokens: readonly Row[]): target.Migration {
    for (const channel of channels) this.#addChannel(channel)
    const models = [...this.#models.values()]
    if (models.length === 0) throw new Error('no channel leads to a server of yours')
    this.notes.push('prices: ratios of models and groups have no counterpart; add price and plans')
    const organizations = this.#addTokens(tokens)
    return { engines: this.#engines.all, models, organizations, notes: this.notes }
  }

  #addChannel(channel: Row): void {
    const name = textOf(channel['name']) || `channel ${String(channel['id'])}`
    const skip = (why: string) => void this.notes.push(`channel ${name}: left out: ${why}`)
    if (Number(channel['status']) !== ENABLED) return skip('it is disabled')
    const url = target.engineUrl(textOf(channel['base_url']))
    const isOwn = url !== undefined && !/(?:^|\.)openai\.com$/.test(new URL(url).hostname)
    if (!COMPATIBLE.has(Number(channel['type'])) || !isOwn)
      return skip('it leads to a provider, not to an engine of yours')
    const variable = textOf(channel['key']) === '' ? undefined : target.variableOf(name)
    if (variable !== undefined) this.notes.push(`channel ${name}: put its key into ${variable}`)
    this.notes.push(`channel ${name}: taken for ${this.#kind}; see --kind`)
    if (Number(channel['priority'] ?? 0) !== 0)
      this.notes.push(`channel ${name}: priorities have no counterpart; use weights or fallback`)
    const group = textOf(channel['group'])
    if (!['', 'default'].includes(group))
      this.notes.push(`channel ${name}: group ${group}: make a plan with these models`)
    const mapping = mappingOf(channel['model_mapping'])
    const weight = Number(channel['weight'] ?? 0)
    for (const id of namesOf(channel['models'])) {
      if (target.modelId(id) === undefined) skip(`${id} is no model id`)
      else this.#addModel(id, { url, variable, weight, modelName: mapping[id] ?? id })
    }
  }

  #addModel(
    id: string,
    from: { url: string; variable: string | undefined; weight: number; modelName: string },
  ): void {
    const engine = this.#engines.add({
      kind: this.#kind,
      url: from.url,
      ...(from.variable !== undefined && { api_key_env: from.variable }),
      slots: 'auto',
      model_name: from.modelName,
    })
    const owner = id.includes('/') ? (id.split('/')[0] ?? id) : 'local'
    const model = this.#models.get(id) ?? { id, owned_by: owner, engines: [] }
    this.#models.set(id, model)
    if (target.hasEngine(model, engine)) return
    model.engines.push(from.weight > 0 ? { name: engine.name, weight: from.weight } : engine.name)
  }

  /** The tokens of a user become keys of an organization. */
  #addTokens(tokens: readonly Row[]): target.Organization[] {
    const byUser = new Map<string, target.Organization>()
    for (const token of tokens) {
      const slug = `user-${String(token['user_id'])}`
      const organization = byUser.get(slug) ?? { slug, name: slug, keys: [] }
      byUser.set(slug, organization)
      const key = this.#keyOf(token)
      if (key !== undefined) organization.keys.push(key)
    }
    return [...byUser.values()]
  }

  #keyOf(token: Row): target.Key | undefined {
    const name = textOf(token['name']) || `token ${String(token['id'])}`
    const skip = (why: string) => void this.notes.push(`token ${name}: left out: ${why}`)
    if (Number(token['status']) !== ENABLED) return skip('it is disabled, expired or used up')
    const expires = Number(token['expired_time'] ?? NEVER)
    if (expires > 0 && expires * 1_000 < Date.now()) return skip('it has expired')
    const listed = [...namesOf(token['models']), ...namesOf(token['model_limits'])]
    const models = listed.filter((id) => this.#models.has(id))
    if (listed.length > 0 && models.length === 0) return skip('none of its models carries over')
    const quota = Number(token['remain_quota'] ?? 0) / QUOTA_PER_DOLLAR
    if (!token['unlimited_quota'])
      this.notes.push(`token ${name}: ${quota.toFixed(2)} dollars were left: grant them`)
    if (textOf(token['subnet']) !== '' || textOf(token['allow_ips']) !== '')
      this.notes.push(`token ${name}: networks are allowed for an organization`)
    return {
      name,
      ...(models.length > 0 && { models }),
      ...(expires > 0 && { expires: new Date(expires * 1_000) }),
    }
  }
}

function readRows(file: string | undefined): Row[] {
  return file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as Row[])
}

function main(): void {
  const text = { type: 'string' } as const
  const options = { out: text, tokens: text, kind: { ...text, default: 'vllm' } }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const kind = target.KINDS.find((each) => each === values.kind)
  const [channels] = positionals
  if (channels === undefined || values.out === undefined || kind === undefined)
    throw new Error('usage: from-one-api.ts CHANNELS --out FOLDER [--tokens FILE] [--kind KIND]')
  const migration = new OneApi(kind).convert(readRows(channels), readRows(values.tokens))
  target.writeMigration(values.out, migration)
}

try {
  main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
