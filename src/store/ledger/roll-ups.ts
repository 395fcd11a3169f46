import type { PoolClient } from 'pg'
import { HOUR_MS } from '../../lib/time.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { CountedUsage } from '../../tenancy/usage-record.ts'
import { column, textColumn } from '../postgres/column.ts'

/** The records that a batch adds and removes; a replaced record does both. */
export type UsageChanges = {
  readonly added: readonly CountedUsage[]
  readonly removed: readonly CountedUsage[]
}

const HOURS_PER_DAY = 24

type Sums = {
  readonly key: string
  /** Hours or days since 1970. */
  readonly time: number
  /** Any one of the summed records: all of them have the same key. */
  readonly usage: CountedUsage
  requests: number
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  reasoningTokens: number
  /** A bigint because sums of costs may exceed the safe integers. */
  cost: bigint
  failed: number
}

const GIVEN = `
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::uuid[],
    $13::bigint[])
  as given (time, organization_id, project_id, credential_id, model, requests, prompt_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, cost, account_id, failed)`

const KEY = 'organization_id, project_id, credential_id, model'
const SUMS =
  'requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, failed'

function addTo(table: string, time: string, value: string): string {
  const added = SUMS.split(', ').map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  return `
    insert into ${table} (${time}, ${KEY}, ${SUMS}, account_id)
    select ${value}, ${KEY}, ${SUMS}, account_id ${GIVEN}
    on conflict (organization_id, ${time}, project_id, credential_id, model)
    do update set ${added.join(', ')},
      account_id = coalesce(${table}.account_id, excluded.account_id)`
}

const ADD_HOURLY = addTo('usage_hourly', 'hour', 'to_timestamp(time * 3600.0)')
const ADD_DAILY = addTo('usage_daily', 'day', "date '1970-01-01' + time")

/** Adds a batch to the sums per hour and per day, by the time the requests were admitted. */
export async function addRollUps(client: PoolClient, changes: UsageChanges): Promise<void> {
  const hourly = sumHours(changes)
  const daily = sumDays(hourly)
  await client.query({ name: 'usage-hourly', text: ADD_HOURLY, values: columnsOf(hourly) })
  await client.query({ name: 'usage-daily', text: ADD_DAILY, values: columnsOf(daily) })
}

function sumHours({ added, removed }: UsageChanges): Sums[] {
  const byKey = new Map<string, Sums>()
  const add = (usage: CountedUsage, sign: 1 | -1) => {
    const sums = sumsOf(byKey, Math.floor(timeOfUuid(usage.id) / HOUR_MS), usage)
    sums.requests += sign
    sums.promptTokens += sign * usage.promptTokens
    sums.cachedTokens += sign * usage.cachedTokens
    sums.completionTokens += sign * usage.completionTokens
    sums.reasoningTokens += sign * usage.reasoningTokens
    sums.cost += BigInt(sign * usage.cost)
    if (usage.outcome !== 'completed') sums.failed += sign
  }
  for (const usage of added) add(usage, 1)
  for (const usage of removed) add(usage, -1)
  return inOrder(byKey)
}

function sumDays(hourly: readonly Sums[]): Sums[] {
  const byKey = new Map<string, Sums>()
  for (const hour of hourly) {
    const sums = sumsOf(byKey, Math.floor(hour.time / HOURS_PER_DAY), hour.usage)
    sums.requests += hour.requests
    sums.promptTokens += hour.promptTokens
    sums.cachedTokens += hour.cachedTokens
    sums.completionTokens += hour.completionTokens
    sums.reasoningTokens += hour.reasoningTokens
    sums.cost += hour.cost
    sums.failed += hour.failed
  }
  return inOrder(byKey)
}

function sumsOf(byKey: Map<string, Sums>, time: number, usage: CountedUsage): Sums {
  const { organizationId, projectId, credentialId, model } = usage
  const key = `${organizationId}${time} ${projectId}${credentialId}${model}`
  const known = byKey.get(key)
  if (known !== undefined) return known
  const counts = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  const sums: Sums = { key, time, usage, requests: 0, ...counts, cost: 0n, failed: 0 }
  byKey.set(key, sums)
  return sums
}

/** Every transaction locks rows in this order, and neighbours in the index are adjacent. */
function inOrder(byKey: ReadonlyMap<string, Sums>): Sums[] {
  return [...byKey.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

/** In the order of the parameters of `GIVEN`. */
function columnsOf(sums: readonly Sums[]): string[] {
  return [
    column(sums.map(({ time }) => time)),
    column(sums.map(({ usage }) => usage.organizationId)),
    column(sums.map(({ usage }) => usage.projectId)),
    column(sums.map(({ usage }) => usage.credentialId)),
    textColumn(sums.map(({ usage }) => usage.model)),
    column(sums.map(({ requests }) => requests)),
    column(sums.map(({ promptTokens }) => promptTokens)),
    column(sums.map(({ cachedTokens }) => cachedTokens)),
    column(sums.map(({ completionTokens }) => completionTokens)),
    column(sums.map(({ reasoningTokens }) => reasoningTokens)),
    column(sums.map(({ cost }) => cost)),
    column(sums.map(({ usage }) => usage.accountId)),
    column(sums.map(({ failed }) => failed)),
  ]
}
