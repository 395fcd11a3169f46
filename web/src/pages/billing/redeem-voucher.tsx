import { useState } from 'react'
import type { RedeemedVoucher } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { formatMoney } from '../../format/number.ts'
import { formatDate } from '../../format/time.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { vouchers as words } from '../../words/billing.ts'

const CODE_LENGTH_MAX = 100

/** A button whose dialog asks for the code of a voucher. */
export function RedeemVoucher() {
  return (
    <DialogButton dialog={(close) => <CodeDialog onClose={close} />}>{words.open}</DialogButton>
  )
}

function CodeDialog({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const redeem = useChange('POST /organizations/{organization}/vouchers/redeem', 'all')
  const [code, setCode] = useState('')
  return (
    <ChangeDialog
      title={words.open}
      description={words.text}
      submit={words.redeem}
      change={redeem}
      input={{ path, body: { code } }}
      fields={['code']}
      done={textOf}
      onClose={onClose}
    >
      <TextField
        label={words.code}
        hint={words.hint}
        required
        maxLength={CODE_LENGTH_MAX}
        autoCapitalize="characters"
        spellCheck={false}
        value={code}
        error={errorAt(redeem.error, 'code')}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </ChangeDialog>
  )
}

function textOf({ amount, credit_expires_at: until, ...redeemed }: RedeemedVoucher): string {
  if (redeemed.repeated) return words.repeated(formatDate(redeemed.redeemed_at))
  const added = formatMoney(amount)
  return until === null ? words.added(added) : words.addedUntil(added, formatDate(until))
}
