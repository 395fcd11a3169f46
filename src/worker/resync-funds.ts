import type { Pool } from 'pg'
import { utcMonth } from '../lib/time.ts'
import { timeOfUuid } from '../lib/uuid.ts'
import { firstIdAt } from '../store/ledger/first-id-at.ts'
import {
  findActiveKeys,
  findActiveOrganizations,
  whileNotPosting,
  type KeyGroup,
  type PostedSpending,
  type WaitingCost,
} from '../store/ledger/posted-spending.ts'
import { isLockTimeout } from '../store/postgres/postgres.ts'
import { openFunds, type Funds, type FundsChange, type Reservation } from '../store/usage/funds.ts'
import type { Valkey } from '../store/valkey/valkey.ts'

/** Organizations of a partition that are compared at a time, while its posting waits. */
const ORGANIZATIONS_AT_ONCE = 500

/** Allows for the clock of another process: ids of requests begin with its time. */
const YOUNG_MS = 10_000

/** API keys that are compared at a time, likewise. */
const KEYS_AT_ONCE = 500

/** A correction is compared again, because a fresh identity may have corrected it too. */
const PASSES_MAX = 2

export type ResyncResult = {
  /** Organizations whose funds were corrected. */
  readonly corrected: number
  /** Partitions that could not be compared, or not completely. */
  readonly busy: number
}

/**
 * Corrects the funds in Valkey of organizations with usage since `sinceMs`, and of their API keys
 * that have a spending limit: a failover may have lost costs or counted them twice. What an
 * organization has spent is what is posted, plus the records that wait in the stream; what it has
 * reserved is the sum of its open requests. While a partition is compared nothing of it is posted,
 * so this needs no pause in its traffic.
 */
export async function resyncFunds(
  pool: Pool,
  valkey: Pick<Valkey, 'call'>,
  sinceMs: number,
  signal?: AbortSignal,
): Promise<ResyncResult> {
  const funds = openFunds(valkey)
  const corrected = new Set<string>()
  let busy = 0
  for (const [partition, organizations] of await findActiveOrganizations(pool, sinceMs)) {
    let complete = true
    for await (const owners of inParts(pool, organizations, sinceMs)) {
      let left = owners
      for (let pass = 0; pass < PASSES_MAX && countOf(left) > 0; pass += 1) {
        signal?.throwIfAborted()
        const found = await compare(pool, funds, partition, left)
        complete &&= found.complete
        left = await correct(funds, left, found)
        for (const id of left.organizations) corrected.add(id)
        for (const { organizationId } of left.keys) corrected.add(organizationId)
      }
    }
    if (!complete) busy += 1
  }
  return { corrected: corrected.size, busy }
}

/** Whose funds are compared at a time. */
type Owners = { readonly organizations: readonly string[]; readonly keys: readonly KeyGroup[] }

function countOf({ organizations, keys }: Owners): number {
  return organizations.length + keys.length
}

async function* inParts(
  pool: Pool,
  ids: readonly string[],
  sinceMs: number,
): AsyncIterable<Owners> {
  for (let start = 0; start < ids.length; start += ORGANIZATIONS_AT_ONCE) {
    const organizations = ids.slice(start, start + ORGANIZATIONS_AT_ONCE)
    yield { organizations, keys: [] }
    const keys = await findActiveKeys(pool, organizations, sinceMs)
    for (let first = 0; first < keys.length; first += KEYS_AT_ONCE)
      yield { organizations: [], keys: keys.slice(first, first + KEYS_AT_ONCE) }
  }
}

/** Returns those that are stored, and so were corrected. */
async function correct(
  funds: Funds,
  owners: Owners,
  { changes, keyChanges }: Comparison,
): Promise<Owners> {
  const organizations: string[] = []
  for (const [id, each] of changes)
    if (await funds.correct(id, undefined, each)) organizations.push(id)
  const keys: KeyGroup[] = []
  for (const group of owners.keys) {
    const each = keyChanges.get(group.id)
    if (each !== undefined && (await funds.correct(group.organizationId, group.id, each)))
      keys.push(group)
  }
  return { organizations, keys }
}

type Comparison = {
  readonly changes: ReadonlyMap<string, readonly FundsChange[]>
  readonly keyChanges: ReadonlyMap<string, readonly FundsChange[]>
  readonly complete: boolean
}

const NOT_COMPARED: Comparison = { changes: new Map(), keyChanges: new Map(), complete: false }

async function compare(
  pool: Pool,
  funds: Funds,
  partition: number,
  owners: Owners,
): Promise<Comparison> {
  // Scanned in steps; a request that is opened from now on is read together with the funds.
  const youngId = firstIdAt(Date.now() - YOUNG_MS)
  const scanned = await funds.scanReservations(partition)
  try {
    return await whileNotPosting(pool, partition, async (posted) => {
      const reading = await funds.read(partition, owners, youngId)
      if (reading === undefined) return NOT_COMPARED
      const { lastEntry } = reading
      const records = lastEntry === undefined ? [] : await funds.readWaiting(partition, lastEntry)
      const waiting = await posted.whenPosted(records)
      const expected = await expectSpending(posted, reading.funds, waiting)
      const ofKeys = await expectKeys(posted, reading.keys, owners.keys, waiting)
      const open = [...(reading.open ?? [])].map(([id, opened]) => opened ?? scanned.get(id))
      const complete = reading.open !== undefined && !open.includes(undefined)
      if (complete) for (const opened of open) addReservation(expected, ofKeys, opened)
      return {
        changes: differencesOf(reading.funds, expected, complete),
        keyChanges: differencesOf(reading.keys, ofKeys, complete),
        complete,
      }
    })
  } catch (error) {
    if (isLockTimeout(error)) return NOT_COMPARED
    throw error
  }
}

type Stored = ReadonlyMap<string, ReadonlyMap<string, string>>

/** What each field of an organization's funds should be. */
type Expected = Map<string, Map<string, number>>

async function expectSpending(
  posted: PostedSpending,
  stored: Stored,
  waiting: readonly WaitingCost[],
): Promise<Expected> {
  const spent = await posted.ofOrganizations([...stored.keys()])
  const ofProjects = await posted.ofProjects([...stored.values()].flatMap(monthsOf))
  const waitingOf = Map.groupBy(waiting, ({ record }) => record.organizationId)
  const expected: Expected = new Map()
  for (const [id, fields] of stored) {
    const own = waitingOf.get(id) ?? []
    const values = new Map([['spent', (spent.get(id) ?? 0) + sumOf(own)]])
    for (const { id: projectId, month } of monthsOf(fields)) {
      const ofProject = own.filter(({ record }) => record.projectId === projectId)
      const waits = sumOf(ofProject.filter(isSince(month)))
      values.set(`spent:${projectId}`, (ofProjects.get(projectId) ?? 0) + waits)
    }
    expected.set(id, values)
  }
  return expected
}

async function expectKeys(
  posted: PostedSpending,
  stored: Stored,
  groups: readonly KeyGroup[],
  waiting: readonly WaitingCost[],
): Promise<Expected> {
  const months = [...stored].map(([id, fields]) => ({ id, month: fields.get('month') ?? '' }))
  const credentials = new Map(groups.map(({ id, credentialIds }) => [id, credentialIds]))
  const spent = await posted.ofKeys(
    months.flatMap(({ id, month }) =>
      (credentials.get(id) ?? []).map((credentialId) => ({ id, month, credentialId })),
    ),
  )
  const waitingOf = Map.groupBy(waiting, ({ record }) => record.credentialId)
  return new Map(
    months.map(({ id, month }) => {
      const own = (credentials.get(id) ?? []).flatMap((each) => waitingOf.get(each) ?? [])
      const waits = sumOf(own.filter(isSince(month)))
      return [id, new Map([['spent', (spent.get(id) ?? 0) + waits]])]
    }),
  )
}

function isSince(month: string): (waiting: WaitingCost) => boolean {
  return ({ record }) => `${utcMonth(timeOfUuid(record.id))}` >= month
}

function sumOf(waiting: readonly WaitingCost[]): number {
  return waiting.reduce((sum, { cost }) => sum + cost, 0)
}

function addReservation(
  expected: Expected,
  ofKeys: Expected,
  opened: Reservation | undefined,
): void {
  if (opened === undefined || opened.reserved === 0) return
  const { organizationId, projectId, limitsId = '', reserved } = opened
  const add = (values: Map<string, number> | undefined, field: string) =>
    values?.set(field, (values.get(field) ?? 0) + reserved)
  add(expected.get(organizationId), 'reserved')
  add(expected.get(organizationId), `reserved:${projectId}`)
  add(ofKeys.get(limitsId), 'reserved')
}

function differencesOf(stored: Stored, expected: Expected, withReserved: boolean) {
  const changes = new Map<string, FundsChange[]>()
  for (const [id, fields] of stored) {
    const values = expected.get(id) ?? new Map<string, number>()
    const names = [...fields.keys()].filter((name) => withReserved && isReserved(name))
    const own: FundsChange[] = []
    for (const field of new Set([...names, ...values.keys()])) {
      const difference = (values.get(field) ?? 0) - Number(fields.get(field) ?? 0)
      if (difference === 0) continue
      // An organization's own spending has no month.
      const monthField = field.replace(/^spent/, 'month')
      const name = isReserved(field) ? undefined : fields.get(monthField)
      if (name === undefined) own.push({ field, difference })
      else own.push({ field, difference, month: { field: monthField, name } })
    }
    if (own.length > 0) changes.set(id, own)
  }
  return changes
}

function isReserved(name: string): boolean {
  return name === 'reserved' || name.startsWith('reserved:')
}

/** The projects whose spending is stored in the funds, and the month it is of. */
function monthsOf(fields: ReadonlyMap<string, string>) {
  return [...fields].flatMap(([name, month]) =>
    name.startsWith('month:') ? [{ id: name.slice('month:'.length), month }] : [],
  )
}
