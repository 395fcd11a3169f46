import { defineChange } from '../use-case/use-case.ts'

/** Records that prompts and answers of an organization are about to leave the service. */
export const recordContentExport = defineChange(
  { action: 'content.export', permission: 'retention:write' },
  ({ access: { organization } }) =>
    Promise.resolve({
      value: organization,
      target: { kind: 'organization', id: organization.id, label: organization.slug },
    }),
)
