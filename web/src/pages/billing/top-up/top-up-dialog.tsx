import { useState } from 'react'
import type { AutomaticTopUp as TopUp } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { readAmount } from '../../../format/amount.ts'
import { Checkbox, errorAt, TextField } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/dialog.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
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
  const fault = saving.error
  const isElsewhere = FIELDS.every((field) => errorAt(fault, field) === undefined)
  const save = () =>
    saving.mutate(
      {
        path,
        body: {
          enabled: true,
          threshold: { amount: readAmount(amounts.threshold) },
          amount: { amount: readAmount(amounts.amount) },
          month_max: { amount: readAmount(amounts.month_max) },
          consent: topUp.consent_version,
        },
      },
      {
        onSuccess: () => {
          say(words.saved)
          onClose()
        },
      },
    )
  return (
    <FormDialog
      onClose={onClose}
      title={topUp.state === 'off' ? words.turnOnTitle : words.changeTitle}
      onSubmit={save}
      submit={topUp.state === 'off' ? words.turnOn : words.save}
      busy={saving.isPending}
      disabled={!agreed}
    >
      {fault !== null && isElsewhere && <FaultNote fault={fault} />}
      {FIELDS.map((field) => (
        <TextField
          key={field}
          label={LABELS[field]}
          hint={field === 'month_max' ? words.monthHint : undefined}
          required
          inputMode="decimal"
          value={amounts[field]}
          error={errorAt(fault, field)}
          end={<span className="ink-3">{currency}</span>}
          onChange={(event) => setAmounts({ ...amounts, [field]: event.currentTarget.value })}
        />
      ))}
      <Checkbox
        label={words.consent(topUp.day_max)}
        checked={agreed}
        onChange={(event) => setAgreed(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
