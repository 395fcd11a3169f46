import { useState } from 'react'
import type { Fault } from '../../../api/fault.ts'
import type { NewVouchers } from '../../../api/routes.ts'
import { useApi } from '../../../api/use-api.ts'
import { useSecretChange } from '../../../api/use-secret-change.ts'
import { readAmount } from '../../../format/amount.ts'
import { endOfDay } from '../../../format/day.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { AmountField, errorAt, TextField } from '../../../parts/field.tsx'
import { operatorVouchers as words } from '../../../words/operator-vouchers.ts'
import { CreatedCodes } from './created-codes.tsx'

const EMPTY = { amount: '', count: '1', organizations: '1', until: '', days: '', note: '' }
const FIELDS = ['amount', 'count', 'organizations_max', 'expires_at', 'credit_days', 'note']

type Form = typeof EMPTY

/** Asks what kind of vouchers; then another dialog shows their codes, once. */
export function CreateVouchers({ onClose }: { readonly onClose: () => void }) {
  const making = useSecretChange('POST /operator/vouchers', ['GET /operator/vouchers'])
  const [form, setForm] = useState(EMPTY)
  if (making.answer !== null)
    return <CreatedCodes vouchers={making.answer.data} onClose={onClose} />
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={words.create}
      description={words.createText}
      onSubmit={() => making.make({ body: bodyOf(form) })}
      submit={words.createButton(Number(form.count) || 1)}
      busy={making.busy}
      fault={making.fault}
      fields={FIELDS}
    >
      <Fields form={form} onChange={setForm} fault={making.fault} />
    </FormDialog>
  )
}

function bodyOf({ amount, count, organizations, until, days, note }: Form): NewVouchers {
  return {
    amount: { amount: readAmount(amount) },
    count: Number(count),
    organizations_max: Number(organizations),
    ...(until !== '' && { expires_at: endOfDay(until) }),
    ...(days !== '' && { credit_days: Number(days) }),
    ...(note.trim() !== '' && { note: note.trim() }),
  }
}

type FormProps = {
  readonly form: Form
  readonly onChange: (form: Form) => void
  readonly fault: Fault | null
}

/** A whole number of at least 1. */
const WHOLE = { type: 'number', min: 1, step: 1 } as const

function Fields({ form, onChange, fault }: FormProps) {
  const accounts = useApi('GET /operator/ledger', {}).data?.accounts
  const set = (field: keyof Form) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...form, [field]: event.currentTarget.value })
  return (
    <>
      <div className="pair">
        <AmountField
          label={words.amount}
          hint={words.amountHint}
          currency={accounts?.[0]?.balance.currency ?? ''}
          required
          value={form.amount}
          error={errorAt(fault, 'amount')}
          onChange={set('amount')}
        />
        <TextField
          {...WHOLE}
          label={words.count}
          required
          value={form.count}
          error={errorAt(fault, 'count')}
          onChange={set('count')}
        />
      </div>
      <TextField
        {...WHOLE}
        label={words.organizations}
        hint={words.organizationsHint}
        required
        value={form.organizations}
        error={errorAt(fault, 'organizations_max')}
        onChange={set('organizations')}
      />
      <Ends form={form} onChange={onChange} fault={fault} />
      <TextField
        label={words.note}
        hint={words.noteHint}
        optional
        maxLength={200}
        value={form.note}
        error={errorAt(fault, 'note')}
        onChange={set('note')}
      />
    </>
  )
}

function Ends({ form, onChange, fault }: FormProps) {
  return (
    <div className="pair">
      <TextField
        label={words.until}
        hint={words.untilHint}
        optional
        type="date"
        min={new Date().toISOString().slice(0, 10)}
        value={form.until}
        error={errorAt(fault, 'expires_at')}
        onChange={(event) => onChange({ ...form, until: event.currentTarget.value })}
      />
      <TextField
        {...WHOLE}
        label={words.creditDaysLabel}
        hint={words.creditDaysHint}
        optional
        value={form.days}
        error={errorAt(fault, 'credit_days')}
        onChange={(event) => onChange({ ...form, days: event.currentTarget.value })}
      />
    </div>
  )
}
