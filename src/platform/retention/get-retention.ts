import { defineRead } from '../use-case/use-case.ts'
import { viewRetention } from './view-retention.ts'

export const getRetention = defineRead(
  { action: 'retention.read', permission: 'retention:read' },
  async ({ environment, access }) => viewRetention(environment.settings, access.organization),
)
