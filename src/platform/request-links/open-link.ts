import { ApiError } from '../../contract/error.ts'
import type { LinkedRequest, RequestLinkToken } from '../../contract/management/usage.ts'
import { createNetworks } from '../../lib/addresses/networks.ts'
import { findLast4 } from '../../store/ledger/request-names.ts'
import { findRequestLink, type FoundRequestLink } from '../../store/people/request-links.ts'
import type { Explanation } from '../../tenancy/explanation.ts'
import { grantOf } from '../../tenancy/permissions.ts'
import { hashToken } from '../sign-in/identity/token.ts'
import type { Origin } from '../sign-in/sessions/prove-password.ts'
import { findExplained } from '../usage/find-explained.ts'
import { viewDetail } from '../usage/view-request.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineRead } from '../use-case/use-case.ts'

type Input = RequestLinkToken & { readonly client: Origin }

/** Shows a request to whoever has a link to it. It gives no more than the maker may see now. */
export const openRequestLink = defineRead(
  { action: 'request_link.open', permission: 'anyone' },
  async ({ environment, database, access }, { token, client }: Input): Promise<LinkedRequest> => {
    await countOpening(environment, client)
    const found = await findRequestLink(database, hashToken(token))
    if (found === undefined || !isInNetworks(found, access.actor.request?.address)) throw noLink()
    const { link, organization } = found
    const explained = await findExplained(environment, link.request_id, organization.id)
    if (explained === undefined || !mayBeLinked(found, explained)) throw noLink()
    const { credentialId, credentialKind: kind } = explained
    const last4 = kind === 'api_key' ? await findLast4(database, credentialId) : null
    return {
      ...viewWithoutNames(explained, environment.settings.currency),
      organization: organization.name,
      key: { kind, last4 },
      link_ends_at: link.ends_at.toISOString(),
    }
  },
)

/** An organization that names its networks shows its requests to nobody elsewhere. */
function isInNetworks({ organization }: FoundRequestLink, address: string | undefined): boolean {
  const networks = organization.allowed_networks
  return networks.length === 0 || createNetworks(networks).has(address)
}

/** Whether its maker could make it now. */
function mayBeLinked({ link, role }: FoundRequestLink, { accountId }: Explanation): boolean {
  const grant = grantOf('request-links:write', role)
  return grant === 'all' || (grant === 'own' && accountId === link.created_by)
}

function viewWithoutNames(explained: Explanation, currency: string) {
  const shown = { names: new Map<string, string>(), currency, traceLink: undefined }
  const { project: _project, member: _member, ...rest } = viewDetail(explained, shown)
  const { trace_url: _trace, ...detail } = rest
  return detail
}

/** The same words whether a link never existed, was withdrawn or has ended. */
function noLink(): ApiError {
  return new ApiError(
    'not_found',
    'This link was withdrawn or has ended, or the request is no longer kept.',
  )
}

/** Counts by the network, before anything is read. */
async function countOpening(
  { loginLimits }: Pick<Environment, 'loginLimits'>,
  { addressPrefix: prefix, behindUnknownProxy }: Origin,
): Promise<void> {
  const kind = behindUnknownProxy ? 'proxy_links' : 'links'
  const { waitMs } = await loginLimits.attempt({ kind, prefix })
  if (waitMs === 0) return
  throw new ApiError('too_many_attempts', 'Your network opened too many links. Retry later.', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  })
}
