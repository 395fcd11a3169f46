import { useEffect, useState, type SubmitEvent } from 'react'
import type { BegunTotp } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { FaultNote, Skeleton } from '../../parts/states.tsx'
import { account } from '../../words/account.ts'
import { QrCode } from './qr-code.tsx'
import styles from './account.module.css'

const words = account.security
const CODE_LENGTH = 6

/** Shows the secret once; the app counts after its first code, which brings the recovery codes. */
export function TotpSetup({ onDone }: { readonly onDone: (codes: readonly string[]) => void }) {
  const { mutate: begin, data, error } = useChange('POST /me/totp')
  useEffect(() => begin({}), [begin])
  if (error !== null) return <FaultNote fault={error} retry={() => begin({})} />
  if (data === undefined) return <Skeleton lines={4} />
  return <ConfirmApp begun={data} onDone={onDone} />
}

function ConfirmApp({
  begun: { secret, uri },
  onDone,
}: {
  readonly begun: BegunTotp
  readonly onDone: (codes: readonly string[]) => void
}) {
  const [code, setCode] = useState('')
  const [missing, setMissing] = useState(false)
  const confirm = useChange('POST /me/totp/confirm')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const given = code.replaceAll(' ', '')
    setMissing(given.length !== CODE_LENGTH)
    if (given.length !== CODE_LENGTH || confirm.isPending) return
    confirm.mutate(
      { body: { code: given } },
      { onSuccess: ({ recovery_codes: codes }) => onDone(codes) },
    )
  }
  const error = errorAt(confirm.error, 'code') ?? confirm.error?.message
  return (
    <form className={styles.totp} onSubmit={submit} noValidate>
      <p>{words.scan}</p>
      <QrCode text={uri} label={words.qr} />
      <p className={styles.totpSecret} data-shows="totp-secret">
        <span className="ink-3">{words.secret}</span> <Copy value={secret} what={words.secret} />
      </p>
      <TextField
        label={words.code}
        autoFocus
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={CODE_LENGTH + 1}
        value={code}
        error={missing ? words.codeNeeded : error}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Button type="submit" look="primary" busy={confirm.isPending}>
        {words.confirm}
      </Button>
    </form>
  )
}
