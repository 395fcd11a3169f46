import { useState } from 'react'
import type { Money, OperatorInvoice } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatMoney } from '../../../format/number.ts'
import { formatUtcMonth } from '../../../format/time.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { ReasonField } from '../reason-field.tsx'

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
  const month = formatUtcMonth(`${invoice.month}-01`)
  return (
    <ChangeDialog
      title={words.decideTitle(month, invoice.organization_name, formatMoney(askedFor(invoice)))}
      description={words.decisionTexts[way]}
      submit={words.decisions[way]}
      change={changes[way]}
      input={{ path: { invoice: invoice.id }, body: { reason } }}
      fields={['reason']}
      done={words.decided}
      onClose={onClose}
    >
      <Segments
        label={words.decision}
        block
        options={ways.map((value) => ({ value, label: words.decisions[value] }))}
        chosen={way}
        onChoose={setWay}
      />
      <ReasonField words={words} value={reason} fault={changes[way].error} onChange={setReason} />
    </ChangeDialog>
  )
}
