import { useState } from 'react'
import type { OrganizationDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount } from '../../../format/amount.ts'
import { formatMoney } from '../../../format/number.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { creditLimit as words } from '../../../words/credit-limit.ts'
import { DETAIL } from './use-organization-detail.ts'

const REASON_MAX = 200

/** One that was set before the plan became postpaid is shown too. */
export function hasCredit({ billing, credit_limit: limit }: OrganizationDetail): boolean {
  return billing === 'postpaid' || limit !== null
}

export function describeCredit({ credit_limit: limit, credit_used: used }: OrganizationDetail) {
  return words.used(limit === null ? words.none : formatMoney(limit), formatMoney(used))
}

type Props = { readonly detail: OrganizationDetail; readonly onClose: () => void }

export function SetCreditLimit({ detail, onClose }: Props) {
  const { organization, credit_limit: before, balance } = detail
  const [amount, setAmount] = useState(before?.amount ?? '')
  const [reason, setReason] = useState('')
  const change = useChange('PUT /operator/organizations/{organization}/credit-limit', [DETAIL])
  const limit = amount.trim() === '' ? null : { amount: readAmount(amount) }
  const send = () =>
    change.mutate(
      { path: { organization: organization.id }, body: { credit_limit: limit, reason } },
      {
        onSuccess: () => {
          say(words.saved(organization.name))
          onClose()
        },
      },
    )
  const atAmount = errorAt(change.error, 'credit_limit')
  const atReason = errorAt(change.error, 'reason')
  const isElsewhere = atAmount === undefined && atReason === undefined
  return (
    <FormDialog
      onClose={onClose}
      title={words.title(organization.name)}
      description={words.text}
      onSubmit={send}
      submit={words.set}
      busy={change.isPending}
    >
      {change.error !== null && isElsewhere && <FaultNote fault={change.error} />}
      <TextField
        label={words.amount}
        hint={words.amountHint}
        optional
        inputMode="decimal"
        end={<span className="ink-3">{balance.balance.currency}</span>}
        value={amount}
        error={atAmount}
        onChange={(event) => setAmount(event.currentTarget.value)}
      />
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        required
        maxLength={REASON_MAX}
        value={reason}
        error={atReason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
