import { Download } from 'lucide-react'
import { addressOf } from '../../api/call.ts'
import { BASE } from '../../api/place.ts'
import type { Me } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { leaveFor } from '../../shell/leave-document.ts'
import { tellOtherTabs } from '../../shell/tabs-of-browser.ts'
import { deletion as words } from '../../words/deletion.ts'
import styles from './account.module.css'

export function DataCard() {
  return (
    <Card title={words.data}>
      <div className={styles.setting}>
        <span className="grow">{words.dataText}</span>
        <a className="btn" download href={addressOf('GET /me/export', {})}>
          <Download size={16} aria-hidden /> {words.download}
        </a>
      </div>
    </Card>
  )
}

export function DeleteCard({ me }: { readonly me: Me }) {
  return (
    <Card title={words.account}>
      <div className={styles.setting}>
        <span className="grow">{words.accountHint}</span>
        <DialogButton
          look="danger"
          dialog={(close) => <DeleteAccount email={me.email} onClose={close} />}
        >
          {words.accountDelete}
        </DialogButton>
      </div>
    </Card>
  )
}

function DeleteAccount({
  email,
  onClose,
}: {
  readonly email: string
  readonly onClose: () => void
}) {
  const remove = useChange('DELETE /me')
  // As a new document, so that nothing of the person is left in memory.
  const leave = () => {
    tellOtherTabs('signed-out')
    leaveFor(`${BASE}/sign-in`)
  }
  return (
    <AskByName
      title={words.accountTitle}
      text={words.accountText}
      name={email}
      button={words.accountDelete}
      change={remove}
      input={{}}
      onDone={leave}
      onClose={onClose}
    />
  )
}
