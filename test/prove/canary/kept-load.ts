import { destroyContentKeys } from '../../../src/store/content/content-keys.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { purgeContent } from '../../../src/worker/purge-content.ts'
import type { Form } from './forms.ts'
import { ECHO_MODELS, REAL_MODEL, VALID, type Canary } from './requests.ts'
import { send } from './send.ts'
import { readRow, readStored, settleFiles, type StoredRow } from './stored.ts'
import type { Api, World } from './world.ts'

export type Kept = {
  /** Requests whose generation was told to the client, so that they are to be kept. */
  readonly answered: number
  /** Of those, the ones that decrypt to what was sent. */
  readonly decrypted: number
  /** How the ciphertexts that time will end and all wrapped keys stand on the disk. */
  readonly storedForms: readonly Form[]
}

export type Ended = {
  /** Rows that are left after the end of retention. */
  readonly left: number
  /** Rows of any kind that still decrypt after it. */
  readonly readable: number
}

const REQUESTS = 60
const DAY_MS = 86_400_000
const DAYS = { standard: 30, contributor: 365 }
/** The whole of a record is in one place, so a piece of it tells. */
const TELLING_BYTES = 16
const quiet = () => undefined
const QUIET_LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** Keeps content under both kinds of retention, and reads it back. */
export async function keepContent(world: World, api: Api, mark: string): Promise<Kept> {
  const numbers = Array.from({ length: REQUESTS }, (_, number) => number)
  const asked = (['standard', 'contributor'] as const).flatMap((retention) =>
    numbers.map((number) => isAnswered(world, api.address, retention, number, mark)),
  )
  const answered = (await Promise.all(asked)).filter(Boolean).length
  // It stores what it still holds before it ends.
  await api.end('SIGTERM')
  const rows = await readAll(world)
  let decrypted = 0
  for (const row of rows) {
    const text = await readRow(row, world.contentKey)
    if (text?.includes(mark) === true && text.includes('"finish_reason"')) decrypted += 1
  }
  const storedForms = storedFormsOf(rows, world.callers.standard.organizationId)
  return { answered, decrypted, storedForms }
}

/** Ends the one kind by time and the other by destroying its keys. */
export async function endContent(world: World): Promise<Ended> {
  const { databaseUrl } = world.place
  await using postgres = openPostgres(databaseUrl, { queryTimeoutMs: 60_000 })
  const later = () => Date.now() + (DAYS.standard + 1) * DAY_MS
  await purgeContent(postgres, DAYS, QUIET_LOG, later).run(new AbortController().signal)
  await destroyContentKeys(postgres.database, world.callers.contributor.organizationId)
  await settleFiles(databaseUrl)
  const left = (await readStored(databaseUrl, world.callers.standard.organizationId)).length
  const rows = await readAll(world)
  const texts = await Promise.all(rows.map((row) => readRow(row, world.contentKey)))
  return { left, readable: texts.filter((text) => text !== undefined).length }
}

async function readAll({ place, callers }: World): Promise<StoredRow[]> {
  const { standard, contributor } = callers
  const kinds = [standard, contributor].map((caller) =>
    readStored(place.databaseUrl, caller.organizationId),
  )
  return (await Promise.all(kinds)).flat()
}

async function isAnswered(
  world: World,
  address: string,
  retention: 'standard' | 'contributor',
  number: number,
  mark: string,
): Promise<boolean> {
  const canary: Canary = (place) => `${mark}-${place}-${retention}-${number}`
  const echo = ECHO_MODELS.find((id) => id === 'canary/answers') ?? ''
  const model = number % 10 === 0 ? REAL_MODEL : echo
  const make = VALID[number % VALID.length]
  if (make === undefined) throw new Error('no request')
  const { leaves: _leaves, ...sent } = make(canary, world.callers[retention].key, model)
  const { status, whole } = await send(address, sent)
  return status === 200 && whole
}

/** What must be gone from the disk at the end: the content that time ends, and every key. */
function storedFormsOf(rows: readonly StoredRow[], organizationId: string): Form[] {
  const ended = rows.filter((row) => row.organization_id === organizationId)
  const keys = rows.flatMap(({ wrapped }) => (wrapped === null ? [] : [wrapped]))
  const distinct = new Map(keys.map((key) => [key.toString('hex'), key]))
  return [...ended.map(({ sealed }) => sealed), ...distinct.values()].map((bytes, index) => ({
    name: `stored ${index}`,
    bytes: bytes.subarray(-TELLING_BYTES),
  }))
}
