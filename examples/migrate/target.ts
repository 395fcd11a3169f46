/** What a migration writes: headrace.yaml, commands for organizations and keys, a report. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'

export const KINDS = ['vllm', 'sglang', 'llama-server'] as const
export type Kind = (typeof KINDS)[number]

export type Engine = {
  readonly name: string
  readonly kind: Kind
  readonly url: string
  readonly api_key_env?: string
  readonly slots: number | 'auto'
  readonly model_name: string
}

export type Model = {
  readonly id: string
  readonly owned_by: string
  context_length?: number
  max_output_tokens?: number
  default_parameters?: { max_tokens: number }
  price?: { input: number; cached_input?: number; output: number }
  first_token_seconds?: number
  total_seconds?: number
  aliases?: string[]
  fallback?: string[]
  readonly engines: (string | { name: string; weight: number })[]
}

export type Organization = {
  readonly slug: string
  readonly name: string
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  readonly keys: Key[]
}

export type Key = {
  readonly name: string
  readonly models?: readonly string[]
  readonly expires?: Date
  readonly requestsPerMinute?: number
  readonly spendingLimit?: number
}

export type Migration = {
  readonly engines: readonly Engine[]
  readonly models: readonly Model[]
  readonly organizations: readonly Organization[]
  /** What does not carry over, or needs a look. Never a secret. */
  readonly notes: readonly string[]
}

/** Engines by address, kind and model: the same server is one engine, however often it is named. */
export class Engines {
  readonly #found = new Map<string, Engine>()

  get all(): Engine[] {
    return [...this.#found.values()]
  }

  add(engine: Omit<Engine, 'name'>): Engine {
    const key = JSON.stringify([engine.kind, engine.url, engine.model_name])
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const { hostname, port } = new URL(engine.url)
    const base = [hostname, port].filter((part) => part !== '').join('-')
    const names = this.all.map(({ name }) => name)
    const added = { name: uniqueName(base.replaceAll(/[^\w.-]/g, '-'), names), ...engine }
    this.#found.set(key, added)
    return added
  }
}

export function hasEngine(model: Model, { name }: Engine): boolean {
  return model.engines.some((each) => (typeof each === 'string' ? each : each.name) === name)
}

export function uniqueName(base: string, taken: readonly string[]): string {
  if (!taken.includes(base)) return base
  const next = taken.filter((name) => name.startsWith(`${base}-`)).length + 2
  return `${base}-${next}`
}

/** A base URL of the other gateway: Headrace adds `/v1` itself. */
export function engineUrl(text: string): string | undefined {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`
}

export function modelId(name: string): string | undefined {
  return /^[A-Za-z0-9._/-]{1,256}$/.test(name) ? name : undefined
}

export function slugOf(text: string): string {
  const slug = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return slug.replaceAll(/^-+|-+$/g, '').slice(0, 40) || 'team'
}

export function variableOf(name: string): string {
  return `HEADRACE_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_KEY`
}

/** Limits that no one reaches by accident: set your own before you open the service. */
const LIMITS = {
  requests_per_minute: 600,
  requests_per_day: 200_000,
  tokens_per_minute: 1_000_000,
  tokens_per_day: 200_000_000,
}

export function renderConfiguration({ engines, models }: Migration): string {
  const isPriced = models.every(({ price }) => price !== undefined)
  return stringify({
    engines,
    models,
    plans: {
      standard: { models: 'all', limits: LIMITS, billing: isPriced ? 'postpaid' : 'none' },
    },
    default_plan: 'standard',
  })
}

const quote = (text: string) => `'${text.replaceAll(/[\p{Cc}'"]/gu, ' ').trim() || 'key'}'`

function renderKey(slug: string, key: Key): string {
  const options = [
    ['--models', key.models?.join(',')],
    ['--expires', key.expires?.toISOString().replace(/:\d\d\.\d+Z$/, 'Z')],
    ['--requests-per-minute', key.requestsPerMinute],
    ['--spending-limit', key.spendingLimit?.toFixed(2)],
  ].filter(([, value]) => value !== undefined && value !== '')
  const given = options.map(([name, value]) => ` ${name} ${value}`).join('')
  return `headrace key create --organization ${slug} --name ${quote(key.name)}${given}`
}

function renderOrganization(organization: Organization): string[] {
  const { slug, name, requestsPerMinute, tokensPerMinute, keys } = organization
  const limits = [
    ...(requestsPerMinute === undefined ? [] : [`--requests-per-minute ${requestsPerMinute}`]),
    ...(tokensPerMinute === undefined ? [] : [`--tokens-per-minute ${tokensPerMinute}`]),
  ]
  return [
    `headrace organization create ${slug} --name ${quote(name)}`,
    ...(limits.length === 0 ? [] : [`headrace organization change ${slug} ${limits.join(' ')}`]),
    ...keys.map((key) => renderKey(slug, key)),
    '',
  ]
}

/** Writes both files into a folder, and prints the report. */
export function writeMigration(folder: string, migration: Migration): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'headrace.yaml'), renderConfiguration(migration))
  const commands = ['#!/bin/sh', '# Keys are new, and each is shown once: hand them out.', 'set -e']
  const lines = migration.organizations.flatMap(renderOrganization)
  writeFileSync(join(folder, 'commands.sh'), [...commands, '', ...lines].join('\n'))
  const { engines, models, organizations, notes } = migration
  const keys = organizations.reduce((sum, each) => sum + each.keys.length, 0)
  console.log(`${folder}/headrace.yaml: ${engines.length} engines, ${models.length} models`)
  console.log(`${folder}/commands.sh: ${organizations.length} organizations, ${keys} keys`)
  console.log(notes.length === 0 ? 'Everything carries over.' : 'Does not carry over, or look at:')
  for (const note of notes) console.log(`- ${note}`)
}
