import { Download } from 'lucide-react'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { account } from '../../words/account.ts'
import styles from './account.module.css'

const words = account.security

/** The codes, once: copied, or kept as a file. */
export function RecoveryCodes({
  codes,
  onDone,
  done = words.recoveryDone,
}: {
  readonly codes: readonly string[]
  readonly onDone: () => void
  readonly done?: string
}) {
  const text = codes.join('\n')
  return (
    <div className={styles.recovery}>
      <p>{words.recoveryShown}</p>
      <ul className={styles.recoveryCodes} data-shows="recovery-codes" aria-label={words.recovery}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.recoveryActions}>
        <CopyButton value={text} what={words.recovery} label={words.recoveryCopy} />
        <Button onClick={() => saveFile(words.recoveryFile, `${text}\n`, 'text/plain')}>
          <Download size={14} aria-hidden /> {words.recoveryDownload}
        </Button>
        <Button look="primary" onClick={onDone}>
          {done}
        </Button>
      </div>
    </div>
  )
}
