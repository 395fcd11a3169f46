import { defineChange } from '../use-case/use-case.ts'

type Issued = {
  readonly account: { readonly id: string; readonly email: string }
  readonly project: { readonly name: string }
  readonly expiresAt: Date
}

/** Records that the shell issues a credential with which somebody can act as a member. */
export const recordPlaygroundCredential = defineChange(
  { action: 'playground.issue', permission: 'playground:use' },
  (_context, { account, project, expiresAt }: Issued) =>
    Promise.resolve({
      value: undefined,
      target: { kind: 'member', id: account.id, label: account.email },
      changes: { project: [null, project.name], expires_at: [null, expiresAt] },
    }),
)
