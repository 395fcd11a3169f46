import { defineRead } from '../use-case/use-case.ts'
import { viewOrganization } from './view-organization.ts'

export const showOrganization = defineRead(
  { action: 'organization.show', permission: 'organization:read' },
  ({ access }, _input: object) => Promise.resolve(viewOrganization(access.organization)),
)
