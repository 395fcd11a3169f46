import { defineRead } from '../../use-case/use-case.ts'
import { readTopUp } from './read-top-up.ts'

export const showTopUp = defineRead(
  { action: 'top_up.show', permission: 'payments:read' },
  async ({ environment, database, access }) =>
    readTopUp(environment.settings, database, access.organization.id),
)
