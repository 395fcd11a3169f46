import { traceError } from '../../../lib/log.ts'
import type { PaymentKind, PaymentState } from '../../../contract/payments/payment-states.ts'
import type { ListedPayment } from '../../../payments/provider.ts'
import { claimPayment, type ClaimedPayment } from '../../../store/payments/payment-queue.ts'
import { findPayment } from '../../../store/payments/payments.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import type { Environment } from '../../use-case/environment.ts'
import { READING_LEASE_SECONDS } from '../next-reading.ts'
import { observePayment } from '../observe.ts'
import { providerOf } from '../provider-of.ts'
import { adoptPayment } from './adopt-payment.ts'
import type { LostPayment } from './find-lost.ts'

/**
 * What became of a lost payment. `open`: it is known again and read as any other. `ended`: a charge
 * that nobody had paid was ended at the provider. `attention` and `unknown_organization` wait for
 * an operator. `no_statement`: an invoice whose statement a worker has to issue again first.
 * `not_read`: it could not be read to its end. With `to_`: what a dry run left undone.
 */
type Done =
  | 'credited'
  | 'open'
  | 'ended'
  | 'attention'
  | 'unknown_organization'
  | 'no_statement'
  | 'not_read'
  | 'to_credit'
  | 'to_open'
  | 'to_end'

export type RecoveredPayment = {
  readonly id: string
  readonly organizationId: string
  readonly kind: PaymentKind
  readonly net: number
  /** Ours, or the provider's where we have none. */
  readonly state: PaymentState | ListedPayment['state']
  readonly done: Done
}

const CLAIM = { leaseSeconds: READING_LEASE_SECONDS, pauseSeconds: 0 }

/** Makes one payment good, or says what there is to do. An error concerns only this one. */
export async function recoverPayment(
  environment: Environment,
  actor: Actor,
  lost: LostPayment,
  { dryRun }: { readonly dryRun: boolean },
): Promise<RecoveredPayment> {
  const { listed, row, hasOrganization } = lost
  if (!hasOrganization) return view(listed, row, 'unknown_organization')
  if (row === undefined && listed.kind === 'invoice') return view(listed, row, 'no_statement')
  if (row?.state === 'attention') return view(listed, row, 'attention')
  if (dryRun) return view(listed, row, planOf(listed))
  try {
    const read = await readLost(environment, actor, lost)
    return view(listed, read, doneOf(read))
  } catch (error) {
    const { organizationId } = listed
    environment.log.error({ organizationId, error: traceError(error) }, 'payment not recovered')
    return view(listed, await findPayment(environment.database, listed.paymentId), 'not_read')
  }
}

function planOf({ state, kind }: ListedPayment): Done {
  if (state === 'paid') return 'to_credit'
  return kind === 'card' ? 'to_end' : 'to_open'
}

async function readLost(
  environment: Environment,
  actor: Actor,
  { listed, row }: LostPayment,
): Promise<PaymentRow> {
  const { database } = environment
  const { provider } = await providerOf(environment)
  // Nobody here would know of it, so its card could be charged beside another charge.
  if (listed.kind === 'card' && listed.state === 'open') await provider.cancel(listed.ref)
  const adopted = row === undefined ? await adoptPayment(environment, actor, listed) : undefined
  const claimed: ClaimedPayment | undefined =
    adopted ?? (await claimPayment(database, listed.paymentId, CLAIM))
  if (claimed !== undefined) return observePayment(environment, claimed)
  // Somebody else reads it now.
  return (await findPayment(database, listed.paymentId))!
}

function doneOf({ state }: PaymentRow): Done {
  if (state === 'succeeded') return 'credited'
  if (state === 'attention') return 'attention'
  return state === 'expired' || state === 'failed' ? 'ended' : 'open'
}

function view(
  { paymentId, organizationId, kind, net, state }: ListedPayment,
  row: PaymentRow | undefined,
  done: Done,
): RecoveredPayment {
  return {
    id: paymentId,
    organizationId,
    kind: kind === 'card' ? 'automatic' : kind,
    net,
    state: row?.state ?? state,
    done,
  }
}
