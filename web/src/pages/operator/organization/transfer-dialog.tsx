import { useState } from 'react'
import type { Fault } from '../../../api/fault.ts'
import type { Money } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount, readMicro } from '../../../format/amount.ts'
import { endOfDay } from '../../../format/day.ts'
import { formatMoney } from '../../../format/number.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { AmountField, errorAt, TextField } from '../../../parts/field.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { ReasonField } from '../reason-field.tsx'
import { DETAIL } from './use-organization-detail.ts'

const EMPTY = { amount: '', reason: '', reference: '', expires: '' }
const FIELDS = ['amount', 'reason', 'reference', 'expires_at']

const REASON_MAX = 500

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
  const fault = make.error
  return (
    <ChangeDialog
      title={words.transfer}
      description={words.transferText(formatMoney(balance))}
      submit={words.kinds[kind]}
      change={make}
      input={{ path: { organization }, body: bodyOf(kind, form) }}
      fields={FIELDS}
      done={({ transfer, repeated }) =>
        repeated ? words.repeated : words.made(formatMoney(transfer.amount))
      }
      onClose={onClose}
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
    </ChangeDialog>
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
      optional
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
      <AmountField
        label={words.amount}
        hint={words.amountHint}
        currency={currency}
        required
        value={amount}
        error={errorAt(fault, 'amount')}
        onChange={set('amount')}
      />
      <ReasonField
        words={words}
        value={reason}
        max={REASON_MAX}
        fault={fault}
        onChange={(text) => onChange({ ...form, reason: text })}
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
