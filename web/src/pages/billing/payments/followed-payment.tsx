import { Check, CircleAlert, Hourglass, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Payment } from '../../../api/routes.ts'
import { formatMoney } from '../../../format/number.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Contact } from '../../../parts/contact.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { everywhere } from '../../../words/everywhere.ts'
import { addMoney, followed as words } from '../../../words/payments.ts'
import { useCancel } from './use-cancel.ts'
import { isOver, useFollowedPayment } from './use-followed-payment.ts'
import { useLeaveToPage } from './use-leave-to-page.ts'
import styles from './payments.module.css'

type Props = {
  readonly id: string
  /** Whether somebody came back from the page without paying. */
  readonly cameBack: boolean
  readonly onAgain: () => void
  readonly onClose: () => void
}

/** What becomes of the payment from whose page somebody came back. */
export function FollowedPayment({ id, cameBack, onAgain, onClose }: Props) {
  const { reading, isLate } = useFollowedPayment(id)
  const { data: payment, error } = reading
  if (payment === undefined)
    return error === null ? <Asking /> : <FaultNote what={words.unknown} fault={error} />
  const isLeft = payment.state === 'open' && (cameBack || payment.failure !== null)
  return (
    <div className={stripOf(payment, isLeft)} role="status" data-shows="payment">
      <StateIcon payment={payment} isLeft={isLeft} />
      <span className="grow">
        <b>{sentenceOf(payment, isLeft)}</b> {isLate && !isLeft && words.late}
        {payment.state === 'succeeded' && taxOf(payment)}
      </span>
      {isLeft && <OpenActions payment={payment} />}
      {payment.state === 'attention' && <Contact className="btn sm" />}
      {(payment.state === 'expired' || payment.state === 'failed') && (
        <Button size="sm" onClick={onAgain}>
          {words.again}
        </Button>
      )}
      {isOver(payment) && (
        <IconButton label={everywhere.close} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

/** Has the place of what the answer says. */
function Asking() {
  return (
    <div className="strip" role="status">
      <Hourglass size={16} aria-hidden />
      <span className="grow">{words.asking}</span>
    </div>
  )
}

/** While it is open another card may be tried, or none. */
function OpenActions({ payment }: { readonly payment: Payment }) {
  const { isStrange, leaveTo } = useLeaveToPage()
  const { busy, cancel } = useCancel(payment.id)
  const { url, failure } = payment
  return (
    <>
      {isStrange && <span role="alert">{addMoney.strangePage}</span>}
      <Button size="sm" busy={busy} onClick={cancel}>
        {words.cancel}
      </Button>
      {url !== null && (
        <Button size="sm" onClick={() => leaveTo(url)}>
          {failure === null ? words.goOn : words.anotherCard}
        </Button>
      )}
    </>
  )
}

function stripOf({ state }: Payment, isLeft: boolean): string {
  const base = `strip ${styles.followed}`
  if (state === 'failed' || state === 'attention') return `${base} bad`
  return isLeft || state === 'expired' ? `${base} warn` : base
}

function StateIcon({ payment, isLeft }: { readonly payment: Payment; readonly isLeft: boolean }) {
  const { state } = payment
  if (state === 'succeeded') return <Check className="ok" size={16} aria-hidden />
  if (state === 'failed' || state === 'attention') return <CircleAlert size={16} aria-hidden />
  if (isLeft || state === 'expired') return <TriangleAlert size={16} aria-hidden />
  return <Hourglass size={16} aria-hidden />
}

function sentenceOf({ state, amount, failure }: Payment, isLeft: boolean): string {
  const money = formatMoney(amount)
  switch (state) {
    case 'created':
    case 'needs_customer':
      return words.waiting(money)
    case 'open':
      if (!isLeft) return words.waiting(money)
      return failure === null ? words.notPaid(money) : words.declined(money)
    case 'processing':
      return words.processing(money)
    case 'succeeded':
      return words.added(money)
    case 'failed':
      return words.declined(money)
    case 'expired':
      return words.expired(money)
    case 'attention':
      return words.attention(money)
  }
}

function taxOf({ tax }: Payment): ReactNode {
  return tax !== null && tax.amount_micro > 0 && words.tax(formatMoney(tax))
}
