// Converts a configuration of the LiteLLM proxy. Needs a clone of Headrace.
//
//   npx node examples/migrate/from-litellm.ts config.yaml --out new
//   npx node examples/migrate/from-litellm.ts config.yaml --out new --teams T.json --keys K.json
//
// --kind vllm, sglang or llama-server says what servers behind `openai/…` are (default: vllm).
// docs/migrate/litellm.md says where the lists of teams and keys come from, and what to do next.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import * as target from './target.ts'

type Settings = Readonly<Record<string, unknown>>

/** Prefixes of `litellm_params.model` behind which there is a server of your own. */
const OWN_SERVERS: Readonly<Record<string, 'vllm' | 'given'>> = {
  hosted_vllm: 'vllm',
  vllm: 'vllm',
  openai: 'given',
  custom_openai: 'given',
  openai_like: 'given',
}
const NO_KEYS = ['', 'EMPTY', 'empty', 'none', 'None', 'dummy', 'fake-key', 'sk-no-key-required']
/** Members of a deployment that this script reads. */
const READ = new Set(
  (
    'model api_base api_key max_parallel_requests weight timeout stream_timeout max_tokens ' +
    'input_cost_per_token output_cost_per_token cache_read_input_token_cost'
  ).split(' '),
)

const HINTS: Readonly<Record<string, string>> = {
  'litellm_settings.drop_params':
    'unknown parameters are 400; a key or plan can ignore four of them (`ignored_parameters`)',
  'litellm_settings.cache': 'answers are not cached; engines reuse prompts of an organization',
  'litellm_settings.callbacks': 'use metrics, traces and the usage export instead',
  'litellm_settings.success_callback': 'use metrics, traces and the usage export instead',
  'litellm_settings.failure_callback': 'use metrics, traces and alerts instead',
  'litellm_settings.max_budget': 'set spending limits of projects and keys',
  'litellm_settings.num_retries': 'a request is retried once, on another engine',
  'router_settings.num_retries': 'a request is retried once, on another engine',
  'router_settings.routing_strategy': 'engines are chosen by load and by cached prompts',
  'router_settings.redis_host': 'Valkey is required: HEADRACE_VALKEY_URL',
  'general_settings.master_key': 'make an operator: headrace account create ADDRESS --operator',
  'general_settings.database_url': 'teams and keys: see --teams and --keys; spend stays there',
}

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const settingsOf = (value: unknown): Settings => (isSettings(value) ? value : {})
const listOf = (value: unknown): Settings[] => (Array.isArray(value) ? value : []).map(settingsOf)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined
}

class LiteLlm {
  readonly notes: string[] = []
  readonly #engines = new target.Engines()
  readonly #models = new Map<string, target.Model>()
  readonly #kind: target.Kind
  readonly #environment: Readonly<Record<string, string | undefined>>

  constructor(kind: target.Kind, environment: Readonly<Record<string, string | undefined>>) {
    this.#kind = kind
    this.#environment = environment
  }

  convert(config: Settings, teams: readonly Settings[], keys: readonly Settings[]) {
    for (const each of listOf(config['model_list'])) this.#addDeployment(each)
    this.#addAliases(settingsOf(settingsOf(config['router_settings'])['model_group_alias']))
    for (const section of ['litellm_settings', 'router_settings'])
      this.#addFallbacks(listOf(settingsOf(config[section])['fallbacks']))
    this.#noteRest(config)
    const organizations = this.#addTeams(teams, keys)
    const models = [...this.#models.values()]
    if (models.length === 0) throw new Error('no model of this file is served by a server of yours')
    if (models.some(({ price }) => price === undefined))
      this.notes.push('some models have no price: nothing is billed, and budgets have no effect')
    return { engines: this.#engines.all, models, organizations, notes: this.notes }
  }

  /** `os.environ/NAME` is the variable NAME, as LiteLLM reads it. */
  #resolve(value: unknown): string {
    const [, name] = /^os\.environ\/(.*)$/.exec(textOf(value)) ?? []
    return name === undefined ? textOf(value) : (this.#environment[name] ?? '')
  }

  #addDeployment(deployment: Settings): void {
    const name = textOf(deployment['model_name'])
    const parameters = settingsOf(deployment['litellm_params'])
    const info = settingsOf(deployment['model_info'])
    const skip = (why: string) => this.notes.push(`model ${name}: left out: ${why}`)
    const [provider = '', ...rest] = textOf(parameters['model']).split('/')
    const served = OWN_SERVERS[provider]
    if (served === undefined) return void skip(`${provider} is not an engine of yours`)
    const mode = textOf(info['mode']) || 'chat'
    if (mode !== 'chat') return void skip(`mode ${mode}; only chat completions are served`)
    if (target.modelId(name) === undefined) return void skip('its name is no model id')
    const base = this.#resolve(parameters['api_base'])
    const url = target.engineUrl(base)
    if (base === '') return void skip('api_base is not set, also not in the environment')
    if (url === undefined || /(?:^|\.)openai\.com$/.test(new URL(url).hostname))
      return void skip('api_base is not a server of yours')
    const kind = served === 'given' ? this.#kind : served
    if (served === 'given') this.notes.push(`model ${name}: taken for ${kind}; see --kind`)
    const slots = numberOf(parameters['max_parallel_requests']) ?? 'auto'
    const keyName = this.#keyVariable(parameters['api_key'], url)
    const engine = this.#engines.add({
      kind,
      url,
      ...(keyName !== undefined && { api_key_env: keyName }),
      slots,
      model_name: rest.join('/'),
    })
    this.#addToModel(name, engine, parameters, info)
  }

  #keyVariable(value: unknown, url: string): string | undefined {
    const [, name] = /^os\.environ\/([A-Z][A-Z0-9_]*)$/.exec(textOf(value)) ?? []
    if (name !== undefined) return name
    if (NO_KEYS.includes(textOf(value))) return undefined
    const variable = target.variableOf(new URL(url).host)
    this.notes.push(`engine ${url}: put its key, which is in the file, into ${variable}`)
    return variable
  }

  #addToModel(id: string, engine: target.Engine, parameters: Settings, info: Settings): void {
    const model = this.#models.get(id) ?? this.#newModel(id, parameters, info)
    this.#models.set(id, model)
    const weight = numberOf(parameters['weight'])
    if (target.hasEngine(model, engine)) return void this.notes.push(`model ${id}: listed twice`)
    model.engines.push(weight === undefined ? engine.name : { name: engine.name, weight })
    const unread = Object.keys(parameters).filter((name) => !READ.has(name))
    if (unread.length > 0) this.notes.push(`model ${id}: no counterpart of ${unread.join(', ')}`)
  }

  #newModel(id: string, parameters: Settings, info: Settings): target.Model {
    const context = numberOf(info['max_input_tokens'])
    const output = numberOf(info['max_output_tokens'])
    const usual = numberOf(parameters['max_tokens'])
    const [first, total] = ['stream_timeout', 'timeout'].map((name) => numberOf(parameters[name]))
    const price = priceOf({ ...info, ...parameters })
    if (context === undefined && price !== undefined)
      this.notes.push(`model ${id}: add context_length, then its price`)
    return {
      id,
      owned_by: id.includes('/') ? (id.split('/')[0] ?? id) : 'local',
      ...(context !== undefined && { context_length: context }),
      ...(output !== undefined && { max_output_tokens: Math.min(output, context ?? output) }),
      ...(usual !== undefined && {
        default_parameters: { max_tokens: Math.min(usual, output ?? usual, context ?? usual) },
      }),
      ...(context !== undefined && price !== undefined && { price }),
      ...(first !== undefined && { first_token_seconds: first }),
      ...(total !== undefined && { total_seconds: total }),
      engines: [],
    }
  }

  #addAliases(aliases: Settings): void {
    for (const [alias, to] of Object.entries(aliases)) {
      const model = this.#models.get(textOf(isSettings(to) ? to['model'] : to))
      if (model === undefined || this.#models.has(alias) || target.modelId(alias) === undefined)
        this.notes.push(`alias ${alias}: left out`)
      else (model.aliases ??= []).push(alias)
    }
  }

  #addFallbacks(fallbacks: readonly Settings[]): void {
    for (const [id, others] of fallbacks.flatMap((each) => Object.entries(each))) {
      const names = (Array.isArray(others) ? others : []).map(textOf)
      const known = names.filter((name) => this.#models.has(name))
      const model = this.#models.get(id)
      if (model !== undefined && known.length > 0) model.fallback = known
      if (model === undefined || known.length < names.length)
        this.notes.push(`fallbacks of ${id}: only models that carry over are kept`)
    }
  }

  #noteRest(config: Settings): void {
    const sections = ['litellm_settings', 'router_settings', 'general_settings']
    for (const section of sections) {
      for (const name of Object.keys(settingsOf(config[section]))) {
        if (['fallbacks', 'model_group_alias'].includes(name)) continue
        const path = `${section}.${name}`
        this.notes.push(`${path}: ${HINTS[path] ?? 'no counterpart'}`)
      }
    }
    const known = ['model_list', 'environment_variables', ...sections]
    for (const name of Object.keys(config).filter((each) => !known.includes(each)))
      this.notes.push(`${name}: no counterpart`)
  }

  /** A team becomes an organization, because limits are those of organizations. */
  #addTeams(teams: readonly Settings[], keys: readonly Settings[]): target.Organization[] {
    const byTeam = new Map<string, target.Organization>()
    const organizationOf = (id: string, team: Settings): target.Organization => {
      const name = textOf(team['team_alias']) || id || 'main'
      const slugs = [...byTeam.values()].map(({ slug }) => slug)
      const [requests, tokens] = ['rpm_limit', 'tpm_limit'].map((each) => numberOf(team[each]))
      return {
        slug: target.uniqueName(target.slugOf(name), slugs),
        name,
        ...(requests !== undefined && { requestsPerMinute: requests }),
        ...(tokens !== undefined && { tokensPerMinute: tokens }),
        keys: [],
      }
    }
    for (const team of teams) {
      const id = textOf(team['team_id'])
      byTeam.set(id, organizationOf(id, team))
      if (numberOf(team['max_budget']) !== undefined)
        this.notes.push(`team ${textOf(team['team_alias']) || id}: set its budget on its project`)
    }
    for (const key of keys) {
      const id = textOf(key['team_id'])
      const organization = byTeam.get(id) ?? organizationOf(id, {})
      byTeam.set(id, organization)
      const converted = this.#keyOf(key)
      if (converted !== undefined) organization.keys.push(converted)
    }
    return [...byTeam.values()]
  }

  #keyOf(key: Settings): target.Key | undefined {
    const name = textOf(key['key_alias']) || textOf(key['key_name']) || 'key'
    if (key['blocked'] === true) return void this.notes.push(`key ${name}: left out: blocked`)
    if (new Date(textOf(key['expires'])) < new Date())
      return void this.notes.push(`key ${name}: left out: it has expired`)
    const given = (Array.isArray(key['models']) ? key['models'] : []).map(textOf)
    const listed = given.filter((each) => !/^all-(?:team|proxy)-models$/.test(each))
    const models = listed.filter((each) => this.#models.has(each))
    if (listed.length > 0 && models.length === 0)
      return void this.notes.push(`key ${name}: left out: none of its models carries over`)
    const period = textOf(key['budget_duration'])
    const budget = numberOf(key['max_budget'])
    if (budget !== undefined && !['30d', '1mo'].includes(period))
      this.notes.push(`key ${name}: its budget is now for each calendar month`)
    if (numberOf(key['tpm_limit']) !== undefined)
      this.notes.push(`key ${name}: tokens per minute are limited for organizations only`)
    const [expires, requests] = [textOf(key['expires']), numberOf(key['rpm_limit'])]
    return {
      name,
      ...(models.length > 0 && { models }),
      ...(expires !== '' && { expires: new Date(expires) }),
      ...(requests !== undefined && { requestsPerMinute: requests }),
      ...(budget !== undefined && { spendingLimit: budget }),
    }
  }
}

/** LiteLLM's prices are for one token, Headrace's for a million. */
function priceOf(settings: Settings): target.Model['price'] {
  const perMillion = (name: string) => {
    const price = numberOf(settings[name])
    return price === undefined ? undefined : Number((price * 1e6).toFixed(6))
  }
  const [input, output] = ['input_cost_per_token', 'output_cost_per_token'].map(perMillion)
  const cached = perMillion('cache_read_input_token_cost')
  if (input === undefined || output === undefined) return undefined
  return { input, ...(cached !== undefined && { cached_input: cached }), output }
}

/** Both lists come as an array, or as an object with one. */
function readList(file: string | undefined, member: string): Settings[] {
  if (file === undefined) return []
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return listOf(Array.isArray(content) ? content : settingsOf(content)[member])
}

function main(): void {
  const text = { type: 'string' } as const
  const options = { out: text, teams: text, keys: text, kind: { ...text, default: 'vllm' } }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const kind = target.KINDS.find((each) => each === values.kind)
  const [file] = positionals
  if (file === undefined || values.out === undefined || kind === undefined)
    throw new Error('usage: from-litellm.ts CONFIG --out FOLDER [--teams F] [--keys F] [--kind K]')
  const config = settingsOf(parse(readFileSync(file, 'utf8')))
  const teams = readList(values.teams, 'teams')
  const keys = readList(values.keys, 'keys')
  const migration = new LiteLlm(kind, process.env).convert(config, teams, keys)
  target.writeMigration(values.out, migration)
}

try {
  main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
