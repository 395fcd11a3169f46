import type { Kysely } from 'kysely'
import { readAccount } from '../../../store/people/own-account.ts'
import {
  listEventsOf,
  listIdentitiesOf,
  listKeysOf,
  listManagementKeysOf,
  listMembershipsOf,
  listProvisionedOf,
} from '../../../store/people/own-data.ts'
import { listPasskeys } from '../../../store/sign-in/passkeys.ts'
import { listSessions } from '../../../store/sign-in/sessions.ts'
import type { Page } from '../../../store/postgres/page.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { viewPasskey } from '../passkeys/view-passkey.ts'
import { viewSession } from '../sessions/view-session.ts'
import { defineExport } from '../../use-case/use-case.ts'
import { viewMe } from './me.ts'
import { personOf } from './person-of.ts'

/** Rows that are in memory at once. */
const PAGE_ROWS = 500

/** All that the service knows of whoever asks, as one JSON document. Never a secret. */
export const exportOwnData = defineExport(
  { action: 'account.export', permission: 'self' },
  async ({ environment, database, access }) => {
    const { account, session } = personOf(access)
    const { id } = account
    const me = await viewMe(environment, database, await readAccount(database, id))
    const small = {
      exported_at: new Date().toISOString(),
      account: me,
      passkeys: (await listPasskeys(database, id)).map(viewPasskey),
      identities: await listIdentitiesOf(database, id),
      provisioned: await listProvisionedOf(database, id),
    }
    const lists = {
      sessions: pagesOf(async (page) =>
        (await listSessions(database, id, page)).map((row) => viewSession(row, session.id)),
      ),
      organizations: listed(listMembershipsOf, database, id),
      api_keys: listed(listKeysOf, database, id),
      management_keys: listed(listManagementKeysOf, database, id),
      audit_events: listed(listEventsOf, database, id),
    }
    return {
      contentType: 'application/json; charset=utf-8',
      facts: {},
      fileName: 'my-data.json',
      parts: writeDocument(small, lists),
    }
  },
)

type Row = { readonly id: string }
type Pages = AsyncIterable<readonly Row[]>

function listed(
  list: (database: Kysely<Tables>, accountId: string, page: Page) => Promise<readonly Row[]>,
  database: Kysely<Tables>,
  accountId: string,
): Pages {
  return pagesOf((page) => list(database, accountId, page))
}

async function* pagesOf(read: (page: Page) => Promise<readonly Row[]>): Pages {
  for (let after: string | undefined; ;) {
    const rows = await read({ limit: PAGE_ROWS, ...(after !== undefined && { after }) })
    yield rows
    if (rows.length < PAGE_ROWS) return
    after = rows.at(-1)?.id
  }
}

/** One JSON object: what is small, then each list as it is read. */
async function* writeDocument(
  small: object,
  lists: Readonly<Record<string, Pages>>,
): AsyncGenerator<string, void> {
  yield JSON.stringify(small).slice(0, -1)
  for (const [name, pages] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`
    let first = true
    for await (const rows of pages) {
      if (rows.length === 0) continue
      yield `${first ? '' : ','}${rows.map((row) => JSON.stringify(row)).join(',\n')}`
      first = false
    }
    yield ']'
  }
  yield '}\n'
}
