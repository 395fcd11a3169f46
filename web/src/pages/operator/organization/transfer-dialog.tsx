import { useState } from 'react'
import type { Fault } from '../../../api/fault.ts'
import type { Money } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount, readMicro } from '../../../format/amount.ts'
import { formatMoney } from '../../../format/number.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { say } from '../../../parts/toast.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { DETAIL } from './use-organization-detail.ts'

const EMPTY = { amount: '', reason: '', reference: '' }
const FIELDS = ['amount', 'reason', 'reference']

export function TransferDialog({
  organization,
  balance,
  onClose,
}: {
  readonly organization: string
  readonly balance: Money
  readonly onClose: () => void
}) {
  const make = useChange('POST /operator/organizations/{organization}/transfers', [
    DETAIL,
    'GET /operator/organizations/{organization}/transfers',
  ])
  const [kind, setKind] = useState<'grant' | 'adjustment'>('grant')
  const [form, setForm] = useState(EMPTY)
  const { amount, reason, reference } = form
  const added = readMicro(amount)
  const send = () =>
    make.mutate(
      {
        path: { organization },
        body: { kind, amount: { amount: readAmount(amount) }, reason, reference },
      },
      {
        onSuccess: ({ transfer, repeated }) => {
          say(repeated ? words.repeated : words.made(formatMoney(transfer.amount)))
          onClose()
        },
      },
    )
  const fault = make.error
  const elsewhere = fault !== null && !FIELDS.some((field) => errorAt(fault, field) !== undefined)
  return (
    <FormDialog
      onClose={onClose}
      title={words.transfer}
      description={words.transferText(formatMoney(balance))}
      onSubmit={() => {
        send()
      }}
      submit={words.kinds[kind]}
      busy={make.isPending}
    >
      <Segments
        label={words.kind}
        block
        options={[
          { value: 'grant', label: words.kinds.grant },
          { value: 'adjustment', label: words.kinds.adjustment },
        ]}
        chosen={kind}
        onChoose={setKind}
      />
      <Fields form={form} onChange={setForm} fault={fault} currency={balance.currency} />
      {added !== undefined && (
        <p className="num" aria-live="polite">
          {words.afterwards(
            formatMoney({ ...balance, amount_micro: balance.amount_micro + added }),
          )}
        </p>
      )}
      {elsewhere && <FaultNote fault={fault} />}
    </FormDialog>
  )
}

function Fields({
  form,
  onChange,
  fault,
  currency,
}: {
  readonly form: typeof EMPTY
  readonly onChange: (form: typeof EMPTY) => void
  readonly fault: Fault | null
  readonly currency: string
}) {
  const { amount, reason, reference } = form
  const set = (field: keyof typeof form) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...form, [field]: event.currentTarget.value })
  return (
    <>
      <TextField
        label={words.amount}
        hint={words.amountHint}
        required
        inputMode="decimal"
        end={<span className="ink-3">{currency}</span>}
        value={amount}
        error={errorAt(fault, 'amount')}
        onChange={set('amount')}
      />
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        required
        maxLength={500}
        value={reason}
        error={errorAt(fault, 'reason')}
        onChange={set('reason')}
      />
      <TextField
        label={words.reference}
        hint={words.referenceHint}
        required
        maxLength={200}
        value={reference}
        error={errorAt(fault, 'reference')}
        onChange={set('reference')}
      />
    </>
  )
}
