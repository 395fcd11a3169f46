import { useState } from 'react'
import type { OperatorPaymentDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount } from '../../../format/amount.ts'
import { formatMoney } from '../../../format/number.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { AmountField, errorAt } from '../../../parts/field.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { ReasonField } from '../reason-field.tsx'

export function RefundDialog({
  detail: { payment, refundable },
  onClose,
}: {
  readonly detail: OperatorPaymentDetail
  readonly onClose: () => void
}) {
  const refund = useChange('POST /operator/payments/{payment}/refunds', 'all')
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  // Of the dialog: whoever presses again after a lost answer refunds once.
  const [key] = useState(() => crypto.randomUUID())
  const body = { amount: { amount: readAmount(amount) }, reason }
  return (
    <ChangeDialog
      title={words.refund}
      description={words.refundText(formatMoney(refundable))}
      submit={words.refund}
      danger
      change={refund}
      input={{ path: { payment: payment.id }, body, key }}
      fields={['amount', 'reason']}
      done={(made) => words.refunded[made.state](formatMoney(made.amount))}
      onClose={onClose}
    >
      <AmountField
        label={words.amountWithTax}
        currency={refundable.currency}
        required
        value={amount}
        error={errorAt(refund.error, 'amount')}
        onChange={(event) => setAmount(event.currentTarget.value)}
      />
      <ReasonField words={words} value={reason} fault={refund.error} onChange={setReason} />
    </ChangeDialog>
  )
}
