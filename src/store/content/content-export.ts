import { sql, type Kysely } from 'kysely'
import type { Content } from '../../lib/content.ts'
import { SealBroken } from '../../lib/seal.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import { refusalOf, type Refusal } from '../../tenancy/contribution.ts'
import type { ContributorTerms } from '../../tenancy/retention.ts'
import { unwrapKey, type MasterKeys } from './content-keys.ts'
import { termsFrom } from '../tenants/identities.ts'
import { findOrganization } from '../tenants/organizations.ts'
import { openSealed } from './sealed-content.ts'
import { FIRST_ID } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'

/** Records may be large, so pages are small. */
const PAGE_RECORDS = 16

/** `unreadable`: its key was destroyed, or was wrapped with a master key that is not configured. */
export type ExportRefusal = Refusal | 'unreadable'

export type ExportedRecord = {
  readonly id: string
  readonly projectId: string
  readonly model: string
  readonly terms: ContributorTerms
  readonly content: Content
}

type Row = {
  readonly id: string
  readonly organization_id: string
  readonly project_id: string
  readonly model: string
  readonly terms_version: string | null
  readonly terms_accepted_at: Date | null
  readonly terms_accepted_by: string | null
  readonly sealed: Buffer
  readonly key_id: string
  readonly wrapped: Buffer | null
}

/**
 * The contributions of an organization, oldest first: each with its content, or the reason why it
 * is not exported. Refused ones are not decrypted. The consent is read again for every page, so
 * that a withdrawal stops a running export.
 */
export async function* readContributions(
  database: Kysely<Tables>,
  organizationId: string,
  masterKeys: MasterKeys,
): AsyncGenerator<ExportedRecord | ExportRefusal, void> {
  for (let after = FIRST_ID; ;) {
    const organization = await findOrganization(database, organizationId)
    const consent = { retention: organization.retention, terms: termsFrom(organization) }
    const rows = await readPage(database, organizationId, after)
    for (const row of rows) {
      const terms = termsFrom({
        contributor_terms_version: row.terms_version,
        contributor_terms_accepted_at: row.terms_accepted_at,
        contributor_terms_accepted_by: row.terms_accepted_by,
      })
      const refusal = refusalOf({ requestedAtMs: timeOfUuid(row.id), terms }, consent)
      if (refusal !== undefined || terms === null) yield refusal ?? 'no_consent'
      else yield await open(row, terms, masterKeys)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

async function readPage(
  database: Kysely<Tables>,
  organizationId: string,
  after: string,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select content.id, content.organization_id, content.project_id, content.model,
           content.terms_version, content.terms_accepted_at, content.terms_accepted_by,
           content.sealed, content.key_id, content_keys.wrapped
    from retained_content as content
    left join content_keys on content_keys.id = content.key_id
    where content.retention = 'contributor' and content.organization_id = ${organizationId}
      and content.id > ${after}
    order by content.id limit ${PAGE_RECORDS}`.execute(database)
  return rows
}

async function open(
  row: Row,
  terms: ContributorTerms,
  masterKeys: MasterKeys,
): Promise<ExportedRecord | ExportRefusal> {
  const { id, organization_id: organizationId, project_id: projectId, model, sealed } = row
  if (row.wrapped === null) return 'unreadable'
  try {
    const key = unwrapKey({ id: row.key_id, wrapped: row.wrapped }, organizationId, masterKeys)
    const content = await openSealed({ id, organizationId, sealed }, { id: row.key_id, key })
    return { id, projectId, model, terms, content }
  } catch (error) {
    if (error instanceof SealBroken) return 'unreadable'
    throw error
  }
}

export type RetainedDay = {
  readonly day: string
  readonly retention: string
  readonly records: number
  readonly bytes: number
  /** Whether its key still exists. */
  readonly readable: boolean
}

/** How much content of an organization is stored, by day. */
export async function listRetainedDays(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<RetainedDay[]> {
  const { rows } = await sql<RetainedDay>`
    select to_char(content.kept_on, 'YYYY-MM-DD') as day, content.retention,
           count(*) as records, sum(length(content.sealed))::bigint as bytes,
           content_keys.id is not null as readable
    from retained_content as content
    left join content_keys on content_keys.id = content.key_id
    where content.organization_id = ${organizationId}
    group by content.kept_on, content.retention, content_keys.id
    order by content.kept_on, content.retention, readable`.execute(database)
  return rows
}
