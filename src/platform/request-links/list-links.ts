import type { RequestLinksQuery } from '../../contract/management/usage.ts'
import { listRequestLinks as list } from '../../store/people/request-links.ts'
import { ownAccount } from '../usage/own-account.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewRequestLink } from './view-link.ts'

/** Links that work, newest first; members see those that they made. */
export const listRequestLinks = defineRead(
  { action: 'request_link.list', permission: 'requests:read' },
  ({ database, access }, { request, ...query }: RequestLinksQuery) => {
    const own = ownAccount(access)
    const filter = {
      ...(own !== undefined && { createdBy: own }),
      ...(request !== undefined && { requestId: request }),
    }
    return readPage(
      query,
      (page) => list(database, access.organization.id, filter, page),
      viewRequestLink,
      ({ id }) => id,
    )
  },
)
