import type { OrganizationPermission } from '../../tenancy/permissions.ts'
import { alsoAllowed } from '../use-case/also-allowed.ts'
import type { Access } from '../use-case/authorize.ts'

/** What one must be allowed to read, to see the facts of an event. By the noun of its action. */
const FACTS: Readonly<Record<string, OrganizationPermission>> = {
  account: 'members:read',
  allowed_networks: 'sign-in:read',
  audit: 'audit:read',
  audit_stream: 'audit-stream:read',
  balance: 'billing:read',
  billing_contacts: 'alerts:read',
  content: 'retention:read',
  credit: 'billing:read',
  dispute: 'payments:read',
  domain: 'sign-in:read',
  invitation: 'members:read',
  invoice: 'payments:read',
  key: 'keys:read',
  management_key: 'management-keys:read',
  member: 'members:read',
  organization: 'organization:read',
  payment: 'payments:read',
  playground: 'keys:read',
  project: 'projects:read',
  refund: 'payments:read',
  request_link: 'requests:read',
  retention: 'retention:read',
  scim_group: 'members:read',
  scim_roles: 'sign-in:read',
  scim_token: 'sign-in:read',
  scim_user: 'members:read',
  session: 'sign-ins:read',
  sign_in_rules: 'sign-in:read',
  spending_alert: 'alerts:read',
  sso_connection: 'sign-in:read',
  statement: 'billing:read',
  support_access: 'support-access:read',
  top_up: 'payments:read',
  usage: 'usage:read',
  voucher: 'payments:read',
}

/**
 * Whether a reader of the audit log may see what an event changed, and not only that it happened.
 * Facts of an unknown kind are hidden.
 */
export function mayReadFacts(access: Access, action: string): boolean {
  const permission = FACTS[action.split('.')[0] ?? '']
  return permission !== undefined && alsoAllowed(access, permission) === 'all'
}
