import { useState } from 'react'
import type { Money, OperatorInvoice } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatMoney } from '../../../format/number.ts'
import { formatUtcMonth } from '../../../format/time.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { say } from '../../../parts/toast.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'

const WAYS = ['paid', 'void', 'written_off'] as const

/** With tax, as soon as that is known. */
export function askedFor({ total, amount_due: due }: OperatorInvoice): Money {
  return total ?? due!
}

/** What an operator decides about an unpaid invoice, with a reason. */
export function InvoiceDialog({
  invoice,
  onClose,
}: {
  readonly invoice: OperatorInvoice
  readonly onClose: () => void
}) {
  // One that is not issued yet can only be made void.
  const ways = invoice.total === null ? WAYS.filter((way) => way === 'void') : WAYS
  const [way, setWay] = useState<(typeof WAYS)[number]>(ways[0] ?? 'void')
  const [reason, setReason] = useState('')
  const changes = {
    paid: useChange('POST /operator/invoices/{invoice}/mark-paid', 'all'),
    void: useChange('POST /operator/invoices/{invoice}/void', 'all'),
    written_off: useChange('POST /operator/invoices/{invoice}/write-off', 'all'),
  }
  const { mutate, error: fault, isPending } = changes[way]
  const send = () =>
    mutate(
      { path: { invoice: invoice.id }, body: { reason } },
      {
        onSuccess: () => {
          say(words.decided)
          onClose()
        },
      },
    )
  return (
    <FormDialog
      onClose={onClose}
      title={words.decideTitle(
        formatUtcMonth(`${invoice.month}-01`),
        invoice.organization_name,
        formatMoney(askedFor(invoice)),
      )}
      description={words.decisionTexts[way]}
      onSubmit={send}
      submit={words.decisions[way]}
      busy={isPending}
    >
      <Segments
        label={words.decision}
        block
        options={ways.map((value) => ({ value, label: words.decisions[value] }))}
        chosen={way}
        onChoose={setWay}
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
