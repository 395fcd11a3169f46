import type { Kysely } from 'kysely'
import { HOUR_MS } from '../../lib/time.ts'
import { expireCredits, listExpiring, noteTold } from '../../store/ledger/credit-lots.ts'
import { queueEmail } from '../../store/payments/queued-emails.ts'
import { FIRST_ID } from '../../store/postgres/page.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { RaisedVersion } from '../../store/tenants/versions.ts'
import { readHeldFunds } from '../../store/usage/read-held-funds.ts'
import type { Valkey } from '../../store/valkey/valkey.ts'
import type { Job } from '../run-jobs.ts'

const PAGE_ORGANIZATIONS = 100

type Expiring = {
  readonly database: Kysely<Tables>
  readonly valkey: Pick<Valkey, 'call'>
  readonly announce: (raised: readonly RaisedVersion[]) => Promise<void>
}

/** Takes back what is left of credits an hour after their end, and tells owners a week before. */
export function expireCreditsJob({ database, valkey, announce }: Expiring): Job {
  const expire = async (id: string) => {
    const raised = await database.transaction().execute(async (transaction) => {
      const held = () => readHeldFunds(valkey, id)
      const expired = await expireCredits(transaction, id, held)
      for (const lot of await noteTold(transaction, id))
        await queueEmail(transaction, {
          key: `credit:${lot.id}`,
          kind: 'credit_expires',
          organizationId: id,
          facts: { amount: lot.remaining, until: lot.expiresAt.toISOString() },
        })
      return expired
    })
    // What cannot be announced now, another job announces.
    await announce(raised).catch(() => {})
  }
  return {
    name: 'expire-credits',
    pauseMs: HOUR_MS,
    async run(signal) {
      const failures: unknown[] = []
      for (let after = FIRST_ID; ;) {
        const organizations = await listExpiring(database, after, PAGE_ORGANIZATIONS)
        for (const id of organizations) {
          signal.throwIfAborted()
          await expire(id).catch((error: unknown) => failures.push(error))
        }
        const last = organizations.at(-1)
        if (last === undefined) break
        after = last
      }
      // One organization does not keep the others from it.
      if (failures.length > 0) throw failures[0]
      return false
    },
  }
}
