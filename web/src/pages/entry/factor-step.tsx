import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { HAS_PASSKEYS } from '../../api/passkeys.ts'
import type { SignedIn } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { entry } from '../../words/entry.ts'
import { Door, DoorNote } from './door.tsx'
import { DoorForm } from './door-form.tsx'
import { usePasskey } from './use-passkey.ts'
import styles from './entry.module.css'

const words = entry.factor
const CODE_LENGTH = 6

type Way = 'app' | 'recovery'

/** A code of the app, a recovery code, or a passkey instead of both. */
export function FactorStep({
  onSignedIn,
  onRestart,
}: {
  readonly onSignedIn: (answer: SignedIn) => void
  readonly onRestart: () => void
}) {
  const [way, setWay] = useState<Way>('app')
  const passkey = usePasskey(onSignedIn)
  return (
    <Door title={words.title} sub={way === 'app' ? words.text : words.recoveryText}>
      <DoorNote fault={passkey.fault} />
      <CodeForm key={way} way={way} onSignedIn={onSignedIn} />
      <div className={styles.or}>
        <span>{entry.or}</span>
      </div>
      {HAS_PASSKEYS && (
        <Button size="lg" block busy={passkey.busy} onClick={passkey.ask}>
          <Fingerprint size={16} aria-hidden /> {words.passkey}
        </Button>
      )}
      <p className={`ink-3 ${styles.center}`}>
        <button
          type="button"
          className="link"
          onClick={() => setWay(way === 'app' ? 'recovery' : 'app')}
        >
          {way === 'app' ? words.useRecovery : words.useApp}
        </button>
        {' · '}
        <button type="button" className="link" onClick={onRestart}>
          {words.back}
        </button>
      </p>
    </Door>
  )
}

function CodeForm({
  way,
  onSignedIn,
}: {
  readonly way: Way
  readonly onSignedIn: (answer: SignedIn) => void
}) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<string>()
  const give = useChange('POST /sessions/second-factor')
  const byApp = way === 'app'
  const submit = () => {
    const given = code.replaceAll(' ', '')
    if (byApp && given.length !== CODE_LENGTH) return setError(words.codeNeeded)
    give.mutate(
      { body: byApp ? { code: given } : { recovery_code: code.trim() } },
      { onSuccess: onSignedIn, onError: () => setCode('') },
    )
  }
  return (
    <DoorForm asking={give} submit={words.submit} onSubmit={submit}>
      <TextField
        large
        autoFocus
        label={byApp ? words.code : words.recovery}
        name="code"
        autoComplete="one-time-code"
        spellCheck={false}
        {...(byApp && { inputMode: 'numeric', maxLength: CODE_LENGTH + 1 })}
        value={code}
        error={error}
        onChange={(event) => {
          setCode(event.currentTarget.value)
          setError(undefined)
        }}
      />
    </DoorForm>
  )
}
