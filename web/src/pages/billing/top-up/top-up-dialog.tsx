import { useState } from 'react'
import type { AutomaticTopUp as TopUp } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount } from '../../../format/amount.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { AmountField, Checkbox, errorAt } from '../../../parts/field.tsx'
import { useCurrency } from '../../../shell/currency.ts'
import { useOrganization } from '../../../shell/organization.tsx'
import { topUp as words } from '../../../words/automatic-top-up.ts'
import { TOP_UP } from './top-up-route.ts'

const FIELDS = ['threshold', 'amount', 'month_max'] as const
const LABELS = {
  threshold: words.threshold,
  amount: words.amount,
  month_max: words.monthMax,
} as const
/** What is offered first, in units of the currency. */
const FIRST = { threshold: '10', amount: '25', month_max: '200' } as const

/** The three numbers, and the consent to the text that is shown. */
export function TopUpDialog({
  topUp,
  onClose,
}: {
  readonly topUp: TopUp
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const currency = useCurrency()
  const [agreed, setAgreed] = useState(false)
  const [amounts, setAmounts] = useState<Record<(typeof FIELDS)[number], string>>({
    threshold: topUp.threshold?.amount ?? FIRST.threshold,
    amount: topUp.amount?.amount ?? FIRST.amount,
    month_max: topUp.month_max?.amount ?? FIRST.month_max,
  })
  const saving = useChange('PUT /organizations/{organization}/automatic-top-up', [TOP_UP])
  const body = {
    enabled: true,
    threshold: { amount: readAmount(amounts.threshold) },
    amount: { amount: readAmount(amounts.amount) },
    month_max: { amount: readAmount(amounts.month_max) },
    consent: topUp.consent_version,
  } as const
  return (
    <ChangeDialog
      title={topUp.state === 'off' ? words.turnOnTitle : words.changeTitle}
      submit={topUp.state === 'off' ? words.turnOn : words.save}
      change={saving}
      input={{ path, body }}
      disabled={!agreed}
      fields={FIELDS}
      done={words.saved}
      onClose={onClose}
    >
      {FIELDS.map((field) => (
        <AmountField
          key={field}
          label={LABELS[field]}
          hint={field === 'month_max' ? words.monthHint : undefined}
          currency={currency}
          required
          value={amounts[field]}
          error={errorAt(saving.error, field)}
          onChange={(event) => setAmounts({ ...amounts, [field]: event.currentTarget.value })}
        />
      ))}
      <Checkbox
        label={words.consent(topUp.consent_day_max)}
        checked={agreed}
        onChange={(event) => setAgreed(event.currentTarget.checked)}
      />
    </ChangeDialog>
  )
}
