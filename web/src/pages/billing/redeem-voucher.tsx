import { useState } from 'react'
import type { RedeemedVoucher } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { formatMoney } from '../../format/number.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { vouchers as words } from '../../words/billing.ts'

const CODE_LENGTH_MAX = 100

/** A button whose dialog asks for the code of a voucher. */
export function RedeemVoucher() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.open}</Button>
      {isOpen && <CodeDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function CodeDialog({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const redeem = useChange('POST /organizations/{organization}/vouchers/redeem', 'all')
  const [code, setCode] = useState('')
  const { error: fault } = redeem
  const atCode = errorAt(fault, 'code')
  const send = () =>
    redeem.mutate(
      { path, body: { code } },
      {
        onSuccess: (redeemed) => {
          say(textOf(redeemed))
          onClose()
        },
      },
    )
  return (
    <FormDialog
      onClose={onClose}
      title={words.open}
      description={words.text}
      onSubmit={send}
      submit={words.redeem}
      busy={redeem.isPending}
    >
      <TextField
        label={words.code}
        hint={words.hint}
        required
        maxLength={CODE_LENGTH_MAX}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={code}
        error={atCode}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {fault !== null && atCode === undefined && <FaultNote fault={fault} />}
    </FormDialog>
  )
}

function textOf({ amount, credit_expires_at: until, ...redeemed }: RedeemedVoucher): string {
  if (redeemed.repeated) return words.repeated(formatDate(redeemed.redeemed_at))
  const added = formatMoney(amount)
  return until === null ? words.added(added) : words.addedUntil(added, formatDate(until))
}
