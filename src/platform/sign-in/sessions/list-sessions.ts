import type { PageQuery } from '../../../contract/management/schemas.ts'
import { listSessions as readSessions } from '../../../store/sign-in/sessions.ts'
import { personOf } from '../accounts/person-of.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewSession } from './view-session.ts'

export const listSessions = defineRead(
  { action: 'session.list', permission: 'self' },
  ({ database, access }, query: PageQuery) => {
    const { account, session } = personOf(access)
    return readPage(
      query,
      (page) => readSessions(database, account.id, page),
      (row) => viewSession(row, session.id),
      (row) => row.id,
    )
  },
)
