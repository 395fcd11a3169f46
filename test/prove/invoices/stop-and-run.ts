import { modelOn } from '../../harness/environment.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Debtor } from './debtors.ts'
import type { Decisions, Invoice } from './decisions.ts'
import type { Desk } from './desk.ts'

/** An invoice that was paid only when requests were refused, and the reminders it should have. */
export type Stopped = { readonly id: string; readonly reminders: readonly string[] }

export const MODEL = modelOn('one')
const REMINDED_AFTER_DAYS = [0, 3, 7]
const STOPPED_AFTER_DAYS = 14
const WAIT_MS_MAX = 90_000
const EVERY_MS = 200

/**
 * Lets the days after an invoice is due pass, until requests are refused, and pays then: requests
 * work before, also on the day before the stop, and afterwards.
 */
export async function stopAndRun(
  desk: Desk,
  decisions: Decisions,
  debtor: Debtor,
  invoice: Invoice,
): Promise<Stopped> {
  const { id } = invoice
  await untilAnswered(desk, debtor, 'before its invoice is due', 200)
  for (const days of REMINDED_AFTER_DAYS) {
    await passDays(desk, invoice, days)
    const key = `invoice:${id}:overdue:${days}`
    const isQueued = async () => (await keysOf(desk, id)).includes(key)
    await waitUntil(`the reminder after ${days} days of ${id}`, isQueued, WAIT_MS_MAX)
  }
  const lastFreeDay = STOPPED_AFTER_DAYS - 1
  await passDays(desk, invoice, lastFreeDay)
  await untilRead(desk, invoice)
  await untilAnswered(desk, debtor, `${lastFreeDay} days after it was due`, 200)
  await passDays(desk, invoice, STOPPED_AFTER_DAYS)
  const refused = `${STOPPED_AFTER_DAYS} days after it was due`
  const text = await untilAnswered(desk, debtor, refused, 402)
  if (!text.includes(`invoice for ${invoice.month} is overdue`))
    throw new Error(`the refusal does not name ${invoice.month}: ${text}`)
  await decisions['seen as paid'](invoice)
  await untilAnswered(desk, debtor, 'after it was paid', 200)
  return { id, reminders: REMINDED_AFTER_DAYS.map((days) => `invoice:${id}:overdue:${days}`) }
}

/** It was due so many days ago, and is read at once. */
async function passDays({ environment }: Desk, { id }: Invoice, days: number): Promise<void> {
  await environment.postgres.pool.query(
    `update payments set expires_at = now() - $2 * interval '1 day' - interval '1 minute',
       next_at = now(), read_at = null, hints = hints + 1 where id = $1`,
    [id, days],
  )
}

async function untilRead({ environment }: Desk, { id }: Invoice): Promise<void> {
  const isRead = async () => {
    const query = 'select from payments where id = $1 and read_at is not null'
    return (await environment.postgres.pool.query(query, [id])).rows.length === 1
  }
  await waitUntil(`${id} to be read`, isRead, WAIT_MS_MAX, { pollMs: EVERY_MS })
}

export async function keysOf({ environment }: Pick<Desk, 'environment'>, id: string) {
  const { rows } = await environment.postgres.pool.query<{ key: string }>(
    `select key from queued_emails
     where organization_id is not null and (facts->>'payment' = $1 or key = 'paid:' || $1)
     order by key`,
    [id],
  )
  return rows.map(({ key }) => key)
}

/** Sends requests until one has the status. Only 200 and 402 may come until then. */
async function untilAnswered(
  { apiRoot }: Desk,
  debtor: Debtor,
  when: string,
  wanted: 200 | 402,
): Promise<string> {
  let [status, text] = [0, '']
  const isIt = async () => {
    const response = await fetch(`${apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${debtor.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    status = response.status
    text = await response.text()
    if (status === 200) debtor.answered += 1
    if (status !== 200 && status !== 402) throw new Error(`${when}: ${status} ${text}`)
    return status === wanted
  }
  const what = `${debtor.id} to get ${wanted} ${when}`
  await waitUntil(what, isIt, WAIT_MS_MAX, { pollMs: EVERY_MS, seen: () => `${status} ${text}` })
  return text
}
