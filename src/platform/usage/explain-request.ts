import type { OperatorRequest, RequestDetail } from '../../contract/management/usage.ts'
import { readNames } from '../../store/ledger/request-names.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import type { Explanation } from '../../tenancy/explanation.ts'
import { notFound, type Access } from '../use-case/authorize.ts'
import type { Environment } from '../use-case/environment.ts'
import { platformRoleOf, readAsSupport } from '../operator/read-as-support.ts'
import { defineRead } from '../use-case/use-case.ts'
import { findExplained } from './find-explained.ts'
import { ownAccount } from './own-account.ts'
import { viewDetail, viewForOperator } from './view-request.ts'

/** What became of a request, for its organization; members see their own. */
export const showRequest = defineRead(
  { action: 'request.read', permission: 'requests:read' },
  async ({ environment, access }, { id }: { readonly id: string }): Promise<RequestDetail> => {
    const { organization } = access
    const explained = await findExplained(environment, id, organization.id)
    const own = ownAccount(access)
    if (explained?.organizationId !== organization.id) throw notFound()
    if (own !== undefined && explained.accountId !== own) throw notFound()
    return viewDetail(explained, await shownBy(environment, access, explained))
  },
)

/**
 * The same for operators, with what served it. A refusal is found if its organization is named.
 * Support needs the consent of an owner of the organization, who sees each read.
 */
export const explainRequest = defineRead(
  { action: 'request.explain', permission: 'platform:read' },
  async (
    { environment, access },
    input: { readonly id: string; readonly organization?: string },
  ): Promise<OperatorRequest> => {
    const organizationId = await organizationOf(environment, input.organization)
    const explained = await findExplained(environment, input.id, organizationId)
    if (explained === undefined) throw notFound()
    const target = { kind: 'request', id: explained.id }
    const read = { organizationId: explained.organizationId, action: 'request.explain', target }
    await readAsSupport(environment.database, access, read)
    return viewForOperator(explained, await shownBy(environment, access, explained))
  },
)

async function organizationOf({ database }: Environment, reference: string | undefined) {
  return reference === undefined ? undefined : (await findOrganization(database, reference)).id
}

async function shownBy(
  { database, settings }: Environment,
  { actor }: Access,
  explained: Explanation,
) {
  // A trace names engines and their addresses, which organizations do not see.
  const mayTrace = actor.kind === 'operator_shell' || platformRoleOf(actor) !== null
  return {
    names: await readNames(database, [explained]),
    currency: settings.currency,
    traceLink: mayTrace ? settings.tracing.link : undefined,
  }
}
