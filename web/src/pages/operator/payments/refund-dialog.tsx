import { useState } from 'react'
import type { OperatorPaymentDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount } from '../../../format/amount.ts'
import { formatMoney } from '../../../format/number.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'

export function RefundDialog({
  detail,
  onClose,
}: {
  readonly detail: OperatorPaymentDetail
  readonly onClose: () => void
}) {
  const { payment, refundable } = detail
  const refund = useChange('POST /operator/payments/{payment}/refunds', 'all')
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  // Of the dialog: whoever presses again after a lost answer refunds once.
  const [key] = useState(() => crypto.randomUUID())
  const send = () =>
    refund.mutate(
      {
        path: { payment: payment.id },
        body: { amount: { amount: readAmount(amount) }, reason },
        key,
      },
      {
        onSuccess: (made) => {
          say(words.refunded[made.state](formatMoney(made.amount)))
          onClose()
        },
      },
    )
  const fault = refund.error
  const elsewhere = fault !== null && errorAt(fault, 'amount') === undefined
  return (
    <FormDialog
      onClose={onClose}
      title={words.refund}
      description={words.refundText(formatMoney(refundable))}
      onSubmit={send}
      submit={words.refund}
      busy={refund.isPending}
      danger
    >
      <TextField
        label={words.amountWithTax}
        required
        inputMode="decimal"
        end={<span className="ink-3">{refundable.currency}</span>}
        value={amount}
        error={errorAt(fault, 'amount')}
        onChange={(event) => setAmount(event.currentTarget.value)}
      />
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        required
        maxLength={200}
        value={reason}
        error={errorAt(fault, 'reason')}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {elsewhere && <FaultNote fault={fault} />}
    </FormDialog>
  )
}
