import { organizationKeys, partitionOf } from '../../../src/store/valkey/keys.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { madeId } from './fill-postgres.ts'

/** Organizations that one call writes: the server's other clients wait for milliseconds only. */
const BATCH = 500
const CALLS_AT_ONCE = 6
/** In place of a project's id in the names of fields. */
const PROJECT = '<project>'

/** What a request leaves in Valkey of its organization. */
type Left = {
  readonly limits: readonly string[]
  readonly version: string
  readonly funds: readonly string[]
  /** Of limits, version and funds, in ms. */
  readonly lifetimesMs: readonly number[]
}

const COPY = `
  local left = cjson.decode(ARGV[1])
  local project = ARGV[2]
  for n = 1, #KEYS / 3 do
    local limits, version, funds = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
    redis.call('HSET', limits, unpack(left.limits))
    redis.call('PEXPIRE', limits, left.lifetimesMs[1])
    redis.call('SET', version, left.version, 'PX', left.lifetimesMs[2])
    local own = {}
    for i, text in ipairs(left.funds) do
      own[i] = string.gsub(text, project, ARGV[2 + n])
    end
    redis.call('HSET', funds, unpack(own))
    redis.call('PEXPIRE', funds, left.lifetimesMs[3])
  end
  return 1`

/** Gives each organization from … to what a request left of another, as if it had made one too. */
export async function fillValkey(valkey: Valkey, left: Left, from: number, to: number) {
  const batches = new Map<number, number[]>()
  let calls: Promise<unknown>[] = []
  const send = async (partition: number) => {
    const numbers = batches.get(partition) ?? []
    batches.delete(partition)
    calls.push(copyTo(valkey, left, numbers))
    if (calls.length < CALLS_AT_ONCE) return
    await Promise.all(calls)
    calls = []
  }
  for (let number = from; number <= to; number += 1) {
    const partition = partitionOf(madeId('organization', number))
    const batch = batches.get(partition) ?? []
    batches.set(partition, batch)
    batch.push(number)
    if (batch.length === BATCH) await send(partition)
  }
  for (const partition of batches.keys()) await send(partition)
  await Promise.all(calls)
}

function copyTo(valkey: Valkey, left: Left, numbers: readonly number[]): Promise<unknown> {
  const keys = numbers.flatMap((number) => {
    const { limits, version, funds } = organizationKeys(madeId('organization', number))
    return [limits, version, funds]
  })
  const projects = numbers.map((number) => madeId('project', number))
  return valkey.call('EVAL', [
    COPY,
    keys.length,
    ...keys,
    JSON.stringify(left),
    PROJECT,
    ...projects,
  ])
}

/** Reads what an organization left, without its spending: the ledger has none of the copies. */
export async function readLeft(valkey: Valkey, number: number): Promise<Left> {
  const { limits, version, funds } = organizationKeys(madeId('organization', number))
  const project = madeId('project', number)
  const fieldsOf = (key: string) => valkey.call('HGETALL', [key]) as Promise<string[]>
  const fundsFields = await fieldsOf(funds)
  const spentAt = fundsFields.indexOf('spent')
  if (spentAt === -1) throw new Error('the request left no funds')
  fundsFields[spentAt + 1] = '0'
  const lifetimesMs = await Promise.all(
    [limits, version, funds].map((key) => valkey.call('PTTL', [key]) as Promise<number>),
  )
  return {
    limits: await fieldsOf(limits),
    version: (await valkey.call('GET', [version])) as string,
    funds: fundsFields.map((text) => text.replace(project, PROJECT)),
    lifetimesMs,
  }
}
