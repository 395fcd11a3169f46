import { useState } from 'react'
import type { OrganizationDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount } from '../../../format/amount.ts'
import { formatMoney } from '../../../format/number.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { AmountField, errorAt } from '../../../parts/field.tsx'
import { creditLimit as words } from '../../../words/credit-limit.ts'
import { ReasonField } from '../reason-field.tsx'
import { DETAIL } from './use-organization-detail.ts'

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
  return (
    <ChangeDialog
      title={words.title(organization.name)}
      description={words.text}
      submit={words.set}
      change={change}
      input={{ path: { organization: organization.id }, body: { credit_limit: limit, reason } }}
      fields={['credit_limit', 'reason']}
      done={words.saved(organization.name)}
      onClose={onClose}
    >
      <AmountField
        label={words.amount}
        hint={words.amountHint}
        currency={balance.balance.currency}
        optional
        value={amount}
        error={errorAt(change.error, 'credit_limit')}
        onChange={(event) => setAmount(event.currentTarget.value)}
      />
      <ReasonField words={words} value={reason} fault={change.error} onChange={setReason} />
    </ChangeDialog>
  )
}
