import type { FoundSso } from '../../../contract/management/sso.ts'
import { listConnections } from '../../../store/sign-in/sso-connections.ts'
import { findDomainOwner } from '../../../store/sign-in/sso-domains.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import { domainOfEmail } from '../identity/verify-domain.ts'
import { defineRead } from '../../use-case/use-case.ts'

/** Tells the sign-in page whether a domain has SSO. Says nothing about accounts. */
export const lookUpSso = defineRead(
  { action: 'sso.look_up', permission: 'anyone' },
  async ({ database }, { email }: { readonly email: string }): Promise<FoundSso> => {
    const domain = domainOfEmail(email)
    const owner = domain === undefined ? undefined : await findDomainOwner(database, domain)
    if (owner === undefined) return { connections: [], sso_only: false }
    const connections = await listConnections(database, owner)
    const { sso_only } = await findOrganization(database, owner)
    return { connections: connections.map(({ id, name }) => ({ id, name })), sso_only }
  },
)
