import type { AuditEventRow } from '../../../src/store/postgres/platform-tables.ts'
import type { Role } from '../../../src/tenancy/role.ts'
import {
  ask,
  type Answer,
  type Headers,
  type Person,
  type TestConsole,
} from '../processes/console.ts'
import type { Organization } from '../seed/tenants.ts'

export type Asking = { readonly body?: unknown; readonly headers?: Headers }

/** A member who asks routes below `/organizations/{id}`. */
export type ConsoleMember = Person & {
  ask(method: string, path: string, asking?: Asking): Promise<Answer>
}

export type ConsoleOrganization = Organization & {
  readonly owner: ConsoleMember
  readonly open: (role: Role, facts?: { readonly confirmed?: boolean }) => Promise<ConsoleMember>
  /** Its audit events, oldest first. */
  readonly events: () => Promise<AuditEventRow[]>
}

/** An organization with an owner. */
export async function openConsoleOrganization(console_: TestConsole): Promise<ConsoleOrganization> {
  const organization = await console_.openOrganization()
  const open: ConsoleOrganization['open'] = async (role, facts = {}) => {
    const person = await console_.openPerson({ ...facts, organizationId: organization.id, role })
    return {
      ...person,
      ask: (method, path, asking = {}) =>
        ask(console_.root, method, `/organizations/${organization.id}${path}`, {
          as: person.as,
          ...asking,
        }),
    }
  }
  return {
    ...organization,
    owner: await open('owner'),
    open,
    events: () =>
      console_.postgres.database
        .selectFrom('audit_events')
        .selectAll()
        .where('organization_id', '=', organization.id)
        .orderBy('id')
        .execute(),
  }
}
