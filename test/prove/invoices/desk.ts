import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../harness/environment.ts'
import type { Random } from '../../harness/figures/random.ts'
import { openDecisions, type Decisions, type Invoice } from './decisions.ts'
import type { Debtor } from './debtors.ts'
import type { Roots } from '../payments/shop.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import { stopAndRun, type Stopped } from './stop-and-run.ts'

/** What becomes of an invoice in the end. */
export const ENDS = [
  'paid',
  'never paid',
  'stopped',
  'void',
  'written off',
  'to the bank',
  'declined',
  'paid twice',
  'written off, and paid',
  'void and paid',
  'bank and card',
  'refunded',
  'disputed',
  'paid there',
  'void there',
  'written off there',
] as const
export type End = (typeof ENDS)[number]

export type Desk = {
  readonly environment: Environment
  readonly provider: ProviderControl
  readonly roots: Roots
  readonly random: Random
  readonly apiRoot: string
  readonly debtors: readonly Debtor[]
}

export type DeskWork = {
  /** Invoices by what became of them. */
  readonly ends: Map<End, number>
  /** Of organizations that were stopped. */
  readonly stopped: Stopped[]
  /** Why an invoice could not be brought to its end. */
  readonly faults: string[]
  readonly taken: Set<string>
}

const EVERY_MS = 100

/**
 * What customers, operators and people in the provider's dashboard do with each invoice that can be
 * paid, as soon as it can, until told that there are no more. Each wait in it is bounded.
 */
export async function workAtDesk(desk: Desk, work: DeskWork, isOver: () => boolean) {
  const decisions = openDecisions(desk)
  // One after the other for an organization: two overdue invoices would both stop it.
  const running = new Map<string, Promise<void>>()
  const turns = new Map<boolean, number>()
  for (let isLast = false; !isLast;) {
    isLast = isOver()
    await tryAgain(desk)
    for (const invoice of await listOpen(desk)) {
      if (work.taken.has(invoice.id)) continue
      work.taken.add(invoice.id)
      const debtor = desk.debtors.find(({ id }) => id === invoice.organizationId)!
      const isSteady = debtor.habit === 'steady'
      const turn = turns.get(isSteady) ?? 0
      turns.set(isSteady, turn + 1)
      const end = chooseEnd(isSteady, turn)
      const before = running.get(debtor.id)
      const bring = async () => bringTo(end, { desk, work, decisions, debtor, invoice })
      running.set(debtor.id, before === undefined ? bring() : before.then(bring))
    }
    // pacing: people look at their invoices from time to time.
    await pause(EVERY_MS)
  }
  await Promise.all(running.values())
}

/** Each in turn; only requests of steady organizations are stopped by nothing but an invoice. */
function chooseEnd(isSteady: boolean, turn: number): End {
  if (isSteady) return turn % 2 === 0 ? 'stopped' : 'refunded'
  const others = ENDS.filter((end) => end !== 'stopped')
  return others[turn % others.length]!
}

type Case = {
  readonly desk: Desk
  readonly work: DeskWork
  readonly decisions: Decisions
  readonly debtor: Debtor
  readonly invoice: Invoice
}

async function bringTo(end: End, { desk, work, decisions, debtor, invoice }: Case): Promise<void> {
  try {
    if (end === 'stopped') work.stopped.push(await stopAndRun(desk, decisions, debtor, invoice))
    else await decisions[end](invoice)
    work.ends.set(end, (work.ends.get(end) ?? 0) + 1)
  } catch (error) {
    work.faults.push(`${invoice.id} was not ${end}: ${String(error)}`)
  }
}

/**
 * Whoever got no answer waits for half a minute, and for an hour where the provider keeps a failure
 * of its own under a key. Time that passes proves nothing.
 */
async function tryAgain({ environment: { postgres } }: Desk): Promise<void> {
  await postgres.pool.query(
    `update payments set next_at = now(), failure = null,
       created_at = created_at - interval '1 hour' * (failure is not distinct from 'key_spent')::int
     where kind = 'invoice' and state = 'created' and next_at > now() and leased_until is null`,
  )
}

async function listOpen({ environment: { postgres } }: Desk): Promise<Invoice[]> {
  const { rows } = await postgres.pool.query<Invoice>(
    `select id, organization_id as "organizationId", ref, statement_month as month from payments
     where kind = 'invoice' and state = 'open' and issued_at is not null order by id`,
  )
  return rows
}
