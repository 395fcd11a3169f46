import { randomBytes } from 'node:crypto'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { createAccount } from '../../../src/store/tenants/accounts.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import { createProject } from '../../../src/store/tenants/projects.ts'
import { openManagementKey, openSession } from '../../harness/processes/console.ts'
import type { Environment } from '../../harness/environment.ts'
import type { SeededPages } from '../../harness/seed/seed-pages.ts'
import { openKey } from '../../harness/seed/tenants.ts'
import { VECTORS } from './vectors.ts'

const DAY_MS = 86_400_000

/** Every vector as the name of everything that people name, and as address and user agent. */
export async function seedHostile({ postgres }: Environment, seeded: SeededPages): Promise<void> {
  const { database } = postgres
  const { organizationId, projectId, visitors } = seeded
  const owner = visitors.owner!.accountId
  for (const { text } of VECTORS) {
    await openKey(database, projectId, { name: text })
    await createProject(database, organizationId, text)
    // An address is ASCII and has no spaces; HTML takes a slash for one.
    const email = `${text.replaceAll(/[^!-~]/g, '/')}@example.com`
    const { id: accountId } = await createAccount(database, {
      email,
      state: 'active',
      registered: true,
    })
    await database.updateTable('accounts').set({ name: text }).where('id', '=', accountId).execute()
    await addMember(database, { organizationId, accountId }, 'member')
    await database
      .insertInto('invitations')
      .values({
        id: uuidV7(),
        organization_id: organizationId,
        email: `invited-${email}`,
        role: 'member',
        token_hash: randomBytes(32),
        invited_by: owner,
        ends_at: new Date(Date.now() + DAY_MS),
      })
      .execute()
    await openManagementKey(postgres, { createdBy: owner, organizationId, scopes: ['keys:read'] })
  }
  await nameManagementKeys(postgres, organizationId)
  await openHostileSessions(postgres, owner)
}

async function nameManagementKeys(
  { database }: Environment['postgres'],
  organizationId: string,
): Promise<void> {
  const rows = await database
    .selectFrom('management_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute()
  for (const [index, { id }] of rows.entries())
    await database
      .updateTable('management_keys')
      .set({ name: VECTORS[index]?.text ?? 'x' })
      .where('id', '=', id)
      .execute()
}

async function openHostileSessions(
  { database }: Environment['postgres'],
  accountId: string,
): Promise<void> {
  for (const { text } of VECTORS) {
    await openSession({ database }, accountId)
    await database
      .updateTable('sessions')
      .set({ user_agent: text })
      .where('account_id', '=', accountId)
      .where('user_agent', 'is', null)
      .execute()
  }
}
