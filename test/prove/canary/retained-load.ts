import { destroyContentKeys } from '../../../src/store/content/content-keys.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { purgeContent } from '../../../src/worker/purge-content.ts'
import { keepLines } from '../../harness/lines.ts'
import type { Api, CanaryEnvironment } from './environment.ts'
import { IGNORED, type Form } from './forms.ts'
import { inTurn, REAL_MODEL, VALID, type Canary } from './requests.ts'
import { send } from './send.ts'
import { readRow, readStored, settleFiles, type StoredRow } from './stored.ts'

const REQUESTS = 60
const RETENTIONS = ['standard', 'contributor'] as const
const DAY_MS = 86_400_000
const DAYS = { standard: 30, contributor: 365 }
/** A record is stored in one place, so a part of it is enough to find it. */
const FORM_BYTES = 16
const QUERY_TIMEOUT_MS = 60_000

/** Sends requests whose content is retained, and decrypts what was stored. */
export async function retainContent(
  environment: CanaryEnvironment,
  api: Api,
  mark: string,
): Promise<{
  /** Requests that got a complete answer, so that their content must be stored. */
  readonly answered: number
  /** Of those, the ones that decrypt to what was sent. */
  readonly decrypted: number
  /** Of those, the ones that contain a parameter that was to be ignored. */
  readonly withIgnored: number
  /** The bytes on disk of the ciphertexts that will expire, and of all wrapped keys. */
  readonly storedForms: readonly Form[]
}> {
  const sending = RETENTIONS.flatMap((retention) =>
    Array.from({ length: REQUESTS }, (_, number) =>
      isAnswered(environment, api.address, retention, number, mark),
    ),
  )
  const answered = (await Promise.all(sending)).filter(Boolean).length
  // It stores what is still in memory before it ends.
  await api.end('SIGTERM')
  const rows = await readAll(environment)
  let decrypted = 0
  let withIgnored = 0
  for (const row of rows) {
    const text = await readRow(row, environment.contentKey)
    if (text?.includes(mark) === true && text.includes('"finish_reason"')) decrypted += 1
    if (text?.includes(`${mark}-${IGNORED}`) === true) withIgnored += 1
  }
  const storedForms = storedFormsOf(rows, environment.callers.standard.organizationId)
  return { answered, decrypted, withIgnored, storedForms }
}

/** Ends `standard` retention by time and `contributor` by destroying its keys. */
export async function endRetention(environment: CanaryEnvironment): Promise<{
  /** Rows that remain after their retention. */
  readonly left: number
  /** Rows of any retention that still decrypt. */
  readonly readable: number
}> {
  const { servers, callers, contentKey } = environment
  const { databaseUrl } = servers
  await using postgres = openPostgres(databaseUrl, { queryTimeoutMs: QUERY_TIMEOUT_MS })
  const later = () => Date.now() + (DAYS.standard + 1) * DAY_MS
  await purgeContent(postgres, DAYS, keepLines().log, later).run(new AbortController().signal)
  await destroyContentKeys(postgres.database, callers.contributor.organizationId)
  await settleFiles(databaseUrl)
  const left = (await readStored(databaseUrl, callers.standard.organizationId)).length
  const rows = await readAll(environment)
  const texts = await Promise.all(rows.map((row) => readRow(row, contentKey)))
  return { left, readable: texts.filter((text) => text !== undefined).length }
}

async function readAll({ servers, callers }: CanaryEnvironment): Promise<StoredRow[]> {
  const reading = RETENTIONS.map((retention) =>
    readStored(servers.databaseUrl, callers[retention].organizationId),
  )
  return (await Promise.all(reading)).flat()
}

async function isAnswered(
  { callers }: CanaryEnvironment,
  address: string,
  retention: 'standard' | 'contributor',
  number: number,
  mark: string,
): Promise<boolean> {
  const canary: Canary = (field) => `${mark}-${field}-${retention}-${number}`
  const model = number % 10 === 0 ? REAL_MODEL : 'canary/answers'
  const make = inTurn(VALID, number)
  const { key, ignoringKey } = callers[retention]
  const { leaves: _leaves, ...sent } = make(canary, key, model, ignoringKey)
  const { status, whole } = await send(address, sent)
  return status === 200 && whole
}

/** Bytes that must be gone from the disk at the end. */
function storedFormsOf(rows: readonly StoredRow[], organizationId: string): Form[] {
  const expiring = rows.filter((row) => row.organization_id === organizationId)
  const keys = rows.flatMap(({ wrapped }) => (wrapped === null ? [] : [wrapped]))
  const distinct = new Map(keys.map((key) => [key.toString('hex'), key]))
  return [...expiring.map(({ sealed }) => sealed), ...distinct.values()].map((bytes, index) => ({
    name: `stored ${index}`,
    bytes: bytes.subarray(-FORM_BYTES),
  }))
}
