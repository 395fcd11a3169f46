import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { Role } from '../../tenancy/role.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import type { RequestLinkRow } from '../postgres/platform-tables.ts'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'
import { ChangeRefused } from '../tenants/changes.ts'

/** Of one organization. Beyond it none is made until some end or are withdrawn. */
const LINKS_MAX = 100

export type NewRequestLink = {
  readonly organizationId: string
  readonly requestId: string
  readonly tokenHash: Buffer
  readonly createdBy: string
  readonly days: number
}

/** The organization must be locked. Links of it that have ended are deleted first. */
export async function createRequestLink(
  transaction: Transaction<Tables>,
  { organizationId, requestId, tokenHash, createdBy, days }: NewRequestLink,
): Promise<RequestLinkRow> {
  await transaction
    .deleteFrom('request_links')
    .where('organization_id', '=', organizationId)
    .where('ends_at', '<=', sql<Date>`now()`)
    .execute()
  const links = await transaction
    .selectFrom('request_links')
    .select('id')
    .where('organization_id', '=', organizationId)
    .limit(LINKS_MAX)
    .execute()
  if (links.length === LINKS_MAX)
    throw new ChangeRefused(
      `the organization has ${LINKS_MAX} links to requests: withdraw some of them first`,
    )
  return transaction
    .insertInto('request_links')
    .values({
      id: uuidV7(),
      organization_id: organizationId,
      request_id: requestId,
      token_hash: tokenHash,
      created_by: createdBy,
      ends_at: sql<Date>`now() + ${days} * interval '1 day'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** An absent member allows everything. */
export type RequestLinkFilter = { readonly createdBy?: string; readonly requestId?: string }

/** Those that have not ended, newest first. */
export async function listRequestLinks(
  database: Kysely<Tables>,
  organizationId: string,
  { createdBy, requestId }: RequestLinkFilter,
  page: Page,
): Promise<RequestLinkRow[]> {
  return database
    .selectFrom('request_links')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('ends_at', '>', sql<Date>`now()`)
    .$if(createdBy !== undefined, (query) => query.where('created_by', '=', createdBy ?? ''))
    .$if(requestId !== undefined, (query) => query.where('request_id', '=', requestId ?? ''))
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

/** Undefined if there is none, or none of this maker. */
export async function deleteRequestLink(
  transaction: Transaction<Tables>,
  organizationId: string,
  id: string,
  createdBy: string | undefined,
): Promise<RequestLinkRow | undefined> {
  if (!isUuid(id)) return undefined
  return transaction
    .deleteFrom('request_links')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .$if(createdBy !== undefined, (query) => query.where('created_by', '=', createdBy ?? ''))
    .returningAll()
    .executeTakeFirst()
}

export type FoundRequestLink = {
  readonly link: RequestLinkRow
  readonly organization: Pick<OrganizationRow, 'id' | 'name' | 'allowed_networks'>
  /** The role that the maker has now. */
  readonly role: Role
}

/** A link that has not ended, whose maker still is a member and not restricted. */
export async function findRequestLink(
  database: Kysely<Tables>,
  tokenHash: Buffer,
): Promise<FoundRequestLink | undefined> {
  const row = await database
    .selectFrom('request_links')
    .innerJoin('organizations', 'organizations.id', 'request_links.organization_id')
    .innerJoin('accounts', 'accounts.id', 'request_links.created_by')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'request_links.organization_id')
        .onRef('memberships.account_id', '=', 'request_links.created_by'),
    )
    .selectAll('request_links')
    .select(['organizations.name', 'organizations.allowed_networks', 'memberships.role'])
    .where('request_links.token_hash', '=', tokenHash)
    .where('request_links.ends_at', '>', sql<Date>`now()`)
    .where('organizations.deleted_at', 'is', null)
    .where('accounts.state', '=', 'active')
    .where('memberships.state', '=', 'active')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { name, allowed_networks, role, ...link } = row
  return { link, organization: { id: row.organization_id, name, allowed_networks }, role }
}
