import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { HAS_PASSKEYS } from '../../api/passkeys.ts'
import { Button } from '../../parts/button.tsx'
import { entry } from '../../words/entry.ts'
import { RecoveryCodes } from '../account/recovery-codes.tsx'
import { TotpSetup } from '../account/totp-setup.tsx'
import { useNewPasskey } from '../account/use-new-passkey.ts'
import { Door, DoorNote } from './door.tsx'
import styles from './entry.module.css'

const words = entry.enrol

/** The account must have a second factor and has none: nothing else works until it has. */
export function EnrolStep({ onDone }: { readonly onDone: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>()
  const [byApp, setByApp] = useState(!HAS_PASSKEYS)
  const passkey = useNewPasskey(onDone)
  if (codes !== undefined)
    return (
      <Door title={words.title}>
        <RecoveryCodes codes={codes} onDone={onDone} done={words.goOn} />
      </Door>
    )
  return (
    <Door title={words.title} sub={words.text}>
      <DoorNote fault={passkey.fault} />
      {byApp ? (
        <TotpSetup onDone={setCodes} />
      ) : (
        <>
          <Button
            look="primary"
            size="lg"
            block
            busy={passkey.busy}
            onClick={() => passkey.make(navigator.platform || words.passkey)}
          >
            <Fingerprint size={16} aria-hidden /> {words.passkey}
          </Button>
          <p className={`ink-3 ${styles.center}`}>{words.passkeyText}</p>
          <div className={styles.or}>
            <span>{entry.or}</span>
          </div>
          <Button size="lg" block onClick={() => setByApp(true)}>
            {words.app}
          </Button>
        </>
      )}
    </Door>
  )
}
