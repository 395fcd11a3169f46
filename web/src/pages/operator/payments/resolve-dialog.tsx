import { useState } from 'react'
import type { OperatorPaymentDetail, PaymentResolution } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { ReasonField } from '../reason-field.tsx'

type How = PaymentResolution['how']
const WAYS: readonly How[] = ['credit', 'refund', 'outside']

export function ResolveDialog({
  detail: { payment },
  onClose,
}: {
  readonly detail: OperatorPaymentDetail
  readonly onClose: () => void
}) {
  const resolve = useChange('POST /operator/payments/{payment}/resolve', 'all')
  const [how, setHow] = useState<How>('credit')
  const [reason, setReason] = useState('')
  return (
    <ChangeDialog
      title={words.resolve}
      description={words.resolutionTexts[how]}
      submit={words.resolutions[how]}
      change={resolve}
      input={{ path: { payment: payment.id }, body: { how, reason } }}
      fields={['reason']}
      done={words.resolved}
      onClose={onClose}
    >
      <Segments
        label={words.decision}
        block
        options={WAYS.map((value) => ({ value, label: words.resolutions[value] }))}
        chosen={how}
        onChoose={setHow}
      />
      <ReasonField words={words} value={reason} fault={resolve.error} onChange={setReason} />
    </ChangeDialog>
  )
}
