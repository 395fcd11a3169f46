import type { OpenedRecord, UsageRecord } from '../../tenancy/usage-record.ts'
import { organizationKeys, partitionKeys } from '../valkey/keys.ts'
import { parseHash } from '../valkey/parse-hash.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { createOpenRecords, readOpened } from './open-records.ts'
import { readUsageRecord } from './read-usage-record.ts'

const READ_SCRIPT = readScript(import.meta.url, 'read-funds.lua')
const CORRECT_SCRIPT = readScript(import.meta.url, 'correct-funds.lua')

/** Ids that one script returns: some milliseconds. Above it reservations are not compared. */
const OPEN_MAX = 20_000

/** Records that wait in a partition that is compared; a longer backlog is worked off first. */
const WAITING_MAX = 20_000

/** Entries or fields per command. */
const CHUNK = 500

export type Reservation = Pick<
  OpenedRecord,
  'organizationId' | 'projectId' | 'limitsId' | 'reserved'
>

export type FundsReading = {
  /** By organization, as stored; only those that are. */
  readonly funds: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** By the id of the limits of API keys, likewise. */
  readonly keys: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** The open requests at that moment, the young ones with their record; undefined if too many. */
  readonly open: ReadonlyMap<string, Reservation | undefined> | undefined
  /** The last record that is counted in the funds; undefined if none waits to be posted. */
  readonly lastEntry: string | undefined
}

/** A change of a field, only in this month (YYYYMM) of the spending that it belongs to. */
export type FundsChange = {
  readonly field: string
  readonly difference: number
  readonly month?: { readonly field: string; readonly name: string }
}

/** Whose funds are compared. The keys are those of these or of other organizations. */
export type FundsOwners = {
  readonly organizations: readonly string[]
  readonly keys: readonly { readonly id: string; readonly organizationId: string }[]
}

/** The funds of organizations and API keys in Valkey, and what they are made of. */
export type Funds = {
  /**
   * Reads at one moment; requests with ids above `youngId` are young. Undefined if too many records
   * wait to be posted.
   */
  read(partition: number, owners: FundsOwners, youngId: string): Promise<FundsReading | undefined>
  /** Scans the open requests of a partition. */
  scanReservations(partition: number): Promise<Map<string, Reservation>>
  /** The readable records that wait in the stream, up to this entry. */
  readWaiting(partition: number, lastEntry: string): Promise<UsageRecord[]>
  /** Corrects an organization, or the API keys with this id. Returns whether it is stored. */
  correct(
    organizationId: string,
    limitsId: string | undefined,
    changes: readonly FundsChange[],
  ): Promise<boolean>
}

export function openFunds(valkey: Pick<Valkey, 'call'>): Funds {
  const read = scriptCaller(valkey, READ_SCRIPT)
  const correct = scriptCaller(valkey, CORRECT_SCRIPT)
  const openRecords = createOpenRecords(valkey)
  return {
    async read(partition, owners, youngId) {
      const keys = partitionKeys(partition)
      const funds = owners.organizations.map((id) => organizationKeys(id).funds)
      const books = owners.keys.map((each) => bookOf(each.organizationId, each.id))
      const call = {
        keys: [keys.open, keys.usage, ...funds, ...books],
        args: [OPEN_MAX, WAITING_MAX, youngId],
      }
      const reply = (await read(call)) as [string, string[], string[][]] | []
      if (reply.length === 0) return undefined
      const [lastEntry, open, fields] = reply
      const ids = [...owners.organizations, ...owners.keys.map(({ id }) => id)]
      const stored = ids.map((id, at) => [id, parseHash(fields[at] ?? [])] as const)
      const known = (from: number, to?: number) =>
        new Map(stored.slice(from, to).filter(([, each]) => each.has('spent')))
      return {
        funds: known(0, funds.length),
        keys: known(funds.length),
        open: open[0] === '' ? undefined : readOpen(open),
        lastEntry: lastEntry === '' ? undefined : lastEntry,
      }
    },
    async scanReservations(partition) {
      const reservations = new Map<string, Reservation>()
      for await (const entries of openRecords.list(partition))
        for (const { id, opened } of entries) if (opened !== undefined) reservations.set(id, opened)
      return reservations
    },
    readWaiting: (partition, lastEntry) => readWaiting(valkey, partition, lastEntry),
    async correct(organizationId, limitsId, changes) {
      const { funds } = organizationKeys(organizationId)
      const key = limitsId === undefined ? funds : bookOf(organizationId, limitsId)
      const args = changes.flatMap(({ field, difference, month }) => [
        field,
        `${difference}`,
        month?.field ?? '',
        month?.name ?? '',
      ])
      return (await correct({ keys: [key], args })) === 1
    },
  }
}

function bookOf(organizationId: string, limitsId: string): string {
  return `${organizationKeys(organizationId).key}${limitsId}`
}

function readOpen(idsAndRecords: readonly string[]): ReadonlyMap<string, Reservation | undefined> {
  return new Map([...parseHash(idsAndRecords)].map(([id, text]) => [id, readOpened(id, text)]))
}

async function readWaiting(
  valkey: Pick<Valkey, 'call'>,
  partition: number,
  lastEntry: string,
): Promise<UsageRecord[]> {
  const { usage } = partitionKeys(partition)
  const records: UsageRecord[] = []
  for (let from = '-'; ;) {
    const reply = await valkey.call('XRANGE', [usage, from, lastEntry, 'COUNT', CHUNK])
    const entries = reply as [string, string[]][]
    for (const [, [name, text = '']] of entries) {
      const record = name === 'record' ? readUsageRecord(text) : undefined
      if (record !== undefined) records.push(record)
    }
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return records
    from = `(${last[0]}`
  }
}
