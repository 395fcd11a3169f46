import { useState } from 'react'
import type { Fault } from '../../../api/fault.ts'
import type { Money } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount, readMicro } from '../../../format/amount.ts'
import { endOfDay } from '../../../format/day.ts'
import { formatMoney } from '../../../format/number.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { say } from '../../../parts/toast.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { DETAIL } from './use-organization-detail.ts'

const EMPTY = { amount: '', reason: '', reference: '', expires: '' }
const FIELDS = ['amount', 'reason', 'reference', 'expires_at']

type Kind = 'grant' | 'adjustment'

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
  const [kind, setKind] = useState<Kind>('grant')
  const [form, setForm] = useState(EMPTY)
  const added = readMicro(form.amount)
  const send = () =>
    make.mutate(
      {
        path: { organization },
        body: bodyOf(kind, form),
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
      {kind === 'grant' && <Expiry form={form} onChange={setForm} fault={fault} />}
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

function bodyOf(kind: Kind, { amount, reason, reference, expires }: typeof EMPTY) {
  const body = { kind, amount: { amount: readAmount(amount) }, reason, reference }
  if (kind !== 'grant' || expires === '') return body
  return { ...body, expires_at: endOfDay(expires) }
}

type FormProps = {
  readonly form: typeof EMPTY
  readonly onChange: (form: typeof EMPTY) => void
  readonly fault: Fault | null
}

function Expiry({ form, onChange, fault }: FormProps) {
  return (
    <TextField
      label={words.expires}
      hint={words.expiresHint}
      type="date"
      min={new Date().toISOString().slice(0, 10)}
      value={form.expires}
      error={errorAt(fault, 'expires_at')}
      onChange={(event) => onChange({ ...form, expires: event.currentTarget.value })}
    />
  )
}

function Fields({ form, onChange, fault, currency }: FormProps & { readonly currency: string }) {
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
