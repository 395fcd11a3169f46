import { openPostgres, type Postgres } from '../../../src/store/postgres/postgres.ts'
import { ask, startConsole, type TestConsole } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import type { Organization } from '../../harness/seed/tenants.ts'
import { captureStatements, readingsOf } from '../platform-size/statements.ts'

const FEW = 10
const MANY = 400_000
/** What the page of keys shows at first. Both organizations have as many. */
const PAGE = FEW
/** With the first page they are counted, up to a thousand. */
const COUNTED = 1_001
const FILL_MS = 120_000
/** Ids, names and times differ in their digits. */
const BYTES_APART_MAX = 0.05

/** Opens the list of keys of an organization with few keys, and of one with many. */
export async function compareLists(run: ProofRun) {
  await using console_ = await startConsole()
  await using patient = openPostgres(console_.databaseUrl, { queryTimeoutMs: FILL_MS })
  const small = await openList(console_, patient, FEW)
  const large = await openList(console_, patient, MANY)
  if (large.items !== small.items) run.fail(`${large.items} keys are listed, not ${small.items}`)
  if (large.rows > small.rows + PAGE + COUNTED)
    run.fail(`the list of ${MANY} keys reads ${large.rows} rows, that of ${FEW} ${small.rows}`)
  if (Math.abs(large.bytes - small.bytes) > small.bytes * BYTES_APART_MAX)
    run.fail(`the list of ${MANY} keys has ${large.bytes} bytes, that of ${FEW} ${small.bytes}`)
  return {
    keys: MANY,
    rows_of_10_keys: small.rows,
    rows: large.rows,
    bytes_of_10_keys: small.bytes,
    bytes: large.bytes,
  }
}

async function openList(console_: TestConsole, patient: Postgres, count: number) {
  const organization = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId: organization.id, role: 'owner' })
  await fill(patient, organization, count)
  let answer: Awaited<ReturnType<typeof ask>> | undefined
  const path = `/organizations/${organization.id}/keys?limit=${PAGE}`
  const statements = await captureStatements(async () => {
    answer = await ask(console_.root, 'GET', path, { as: owner.as })
  })
  if (answer?.status !== 200) throw new Error(`${path} answered ${answer?.status} ${answer?.text}`)
  let rows = 0
  for (const statement of statements)
    for (const reading of await readingsOf(patient.pool, statement)) rows += reading.rows
  return { rows, items: answer.body.data.length, bytes: Buffer.byteLength(answer.text) }
}

/** Triggers rest: they announce each key to the processes. */
async function fill({ pool }: Postgres, { id, projectId }: Organization, count: number) {
  const client = await pool.connect()
  try {
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
    await client.query(
      `insert into api_keys (id, project_id, organization_id, name, hash, prefix, last4)
       select uuidv7(), $1::uuid, $2::uuid, 'key ' || lpad(n::text, 6, '0'),
         sha256(($2::uuid::text || n)::bytea),
         'headrace_sk_', lpad(to_hex(n % 65536), 4, '0')
       from generate_series(1, $3::int) n`,
      [projectId, id, count],
    )
    await client.query('reset all')
    await client.query('analyze api_keys')
  } finally {
    client.release()
  }
}
