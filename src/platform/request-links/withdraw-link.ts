import { deleteRequestLink } from '../../store/people/request-links.ts'
import { ownAccount } from '../usage/own-account.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineChange } from '../use-case/use-case.ts'

/** Ends a link at once. Members withdraw those that they made. */
export const withdrawRequestLink = defineChange(
  { action: 'request_link.withdraw', permission: 'request-links:write' },
  async ({ transaction, access }, { link: id }: { readonly link: string }) => {
    const own = ownAccount(access)
    const row = await deleteRequestLink(transaction, access.organization.id, id, own)
    if (row === undefined) throw notFound()
    return {
      value: undefined,
      target: { kind: 'request_link', id: row.id },
      changes: { request: [row.request_id, null] },
    }
  },
)
