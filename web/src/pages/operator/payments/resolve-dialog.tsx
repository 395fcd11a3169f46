import { useState } from 'react'
import type { OperatorPaymentDetail, PaymentResolution } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { say } from '../../../parts/toast.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'

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
  const send = () =>
    resolve.mutate(
      { path: { payment: payment.id }, body: { how, reason } },
      {
        onSuccess: () => {
          say(words.resolved)
          onClose()
        },
      },
    )
  const fault = resolve.error
  return (
    <FormDialog
      onClose={onClose}
      title={words.resolve}
      description={words.resolutionTexts[how]}
      onSubmit={send}
      submit={words.resolutions[how]}
      busy={resolve.isPending}
    >
      <Segments
        label={words.decision}
        block
        options={WAYS.map((value) => ({ value, label: words.resolutions[value] }))}
        chosen={how}
        onChoose={setHow}
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
      {fault !== null && errorAt(fault, 'reason') === undefined && <FaultNote fault={fault} />}
    </FormDialog>
  )
}
