import { Client } from 'pg'
import { createApiKey, displayParts, hashApiKey } from '../../../src/tenancy/api-key.ts'

/** What each organization is granted, in micro-units: more than a run of its streams costs. */
const GRANT = 1_000_000_000
const KINDS = { organization: 1, project: 2, key: 3, transfer: 4 } as const

type Kind = keyof typeof KINDS

/** An id that both sides compute from a number. */
const ID = `
  create function made_id(kind int, number bigint) returns uuid immutable language sql as $$
  select (lpad(to_hex(1750000000000 + number), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') ||
    '8000' || lpad(to_hex(number), 12, '0'))::uuid $$`

export function madeId(kind: Kind, number: number): string {
  const time = (1_750_000_000_000 + number).toString(16).padStart(12, '0')
  const kindDigits = KINDS[kind].toString(16).padStart(3, '0')
  const last = number.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kindDigits}-8000-${last}`
}

const id = (kind: Kind) => `made_id(${KINDS[kind]}, n)`

/**
 * Makes organizations 1 … `organizations`, each with a project, a grant and an API key. Returns the
 * keys of the first ones, which make requests; of the others only a hash is stored. Foreign keys
 * are not checked meanwhile, because every row is made to fit.
 */
export async function fillPostgres(
  url: string,
  plan: string,
  organizations: number,
  active: number,
): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(ID)
    await client.query('set session_replication_role = replica; set synchronous_commit = off')
    for (const statement of rowsOf(plan, organizations, active)) await client.query(statement)
    const keys = Array.from({ length: active }, () => createApiKey('headrace'))
    await client.query(ACTIVE_KEYS, [keys.map(hashApiKey), displayParts(keys[0]!).prefix])
    await client.query('vacuum analyze')
    return keys
  } finally {
    await client.end()
  }
}

const KEY_COLUMNS = 'id, project_id, organization_id, name, hash, prefix, last4'

const ACTIVE_KEYS = `
  insert into api_keys (${KEY_COLUMNS})
  select ${id('key')}, ${id('project')}, ${id('organization')}, 'key', hash, $2, '0000'
  from unnest($1::bytea[]) with ordinality as made (hash, n)`

function rowsOf(plan: string, organizations: number, active: number): string[] {
  const all = `generate_series(1, ${organizations}) n`
  const funds = `'funds:' || ${id('organization')}`
  return [
    `insert into organizations (id, slug, name, plan)
     select ${id('organization')}, 'organization-' || n, 'Organization ' || n, '${plan}'
     from ${all}`,
    `insert into projects (id, organization_id, name)
     select ${id('project')}, ${id('organization')}, 'default' from ${all}`,
    `insert into api_keys (${KEY_COLUMNS})
     select ${id('key')}, ${id('project')}, ${id('organization')}, 'key',
       sha256(('key' || n)::bytea), 'headrace_sk_', '0000'
     from generate_series(${active + 1}, ${organizations}) n`,
    `insert into ledger_accounts (id, organization_id, credits)
     select ${funds}, ${id('organization')}, ${GRANT} from ${all}`,
    `insert into transfers (id, debit_account, credit_account, amount, kind, reference, made_by,
       reason)
     select ${id('transfer')}, 'grants', ${funds}, ${GRANT}, 'grant', 'grant ' || n, 'test',
       'a test' from ${all}`,
    `update ledger_accounts set debits = ${GRANT}::bigint * ${organizations} where id = 'grants'`,
  ]
}
