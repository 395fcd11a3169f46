import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Me } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Dialog, DialogBody } from '../../parts/dialog.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { account } from '../../words/account.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'
import styles from './account.module.css'

const words = account.security

/** The authenticator app with its recovery codes. */
export function AppCard({ me }: { readonly me: Me }) {
  return (
    <Card title={words.app}>
      <div className={styles.setting}>
        <span className="grow">{me.has_totp ? words.appOn : words.appOff}</span>
        {me.has_totp ? (
          <DialogButton look="danger-quiet" dialog={(close) => <RemoveApp onClose={close} />}>
            {words.appRemove}
          </DialogButton>
        ) : (
          <DialogButton dialog={(close) => <SetUp onClose={close} />}>{words.appAdd}</DialogButton>
        )}
      </div>
      {me.has_totp && (
        <div className={styles.setting}>
          <span className="grow">{words.recoveryText}</span>
          <DialogButton dialog={(close) => <NewCodes onClose={close} />}>
            {words.recoveryNew}
          </DialogButton>
        </div>
      )}
    </Card>
  )
}

/** Once the codes are shown, only the button below them closes the dialog. */
function SetUp({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [codes, setCodes] = useState<readonly string[]>()
  const finish = () => {
    onClose()
    void queries.invalidateQueries({ queryKey: ['GET /me'] })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      keepOpen={codes !== undefined}
      title={codes === undefined ? words.appAdd : words.recovery}
    >
      <DialogBody>
        {codes === undefined ? (
          <TotpSetup onDone={setCodes} />
        ) : (
          <RecoveryCodes codes={codes} onDone={finish} />
        )}
      </DialogBody>
    </Dialog>
  )
}

function RemoveApp({ onClose }: { readonly onClose: () => void }) {
  const remove = useChange('DELETE /me/totp', ['GET /me'])
  return (
    <Ask
      title={words.appRemove}
      text={words.appRemoveText}
      button={words.appRemove}
      change={remove}
      input={{}}
      done={words.appRemoved}
      onClose={onClose}
    />
  )
}

function NewCodes({ onClose }: { readonly onClose: () => void }) {
  const make = useChange('POST /me/recovery-codes')
  const codes = make.data?.recovery_codes
  if (codes !== undefined)
    return (
      <Dialog open keepOpen onClose={onClose} title={words.recovery}>
        <DialogBody>
          <RecoveryCodes codes={codes} onDone={onClose} />
        </DialogBody>
      </Dialog>
    )
  return (
    <FormDialog
      onClose={onClose}
      title={words.recoveryNew}
      description={words.recoveryNewText}
      onSubmit={() => make.mutate({})}
      submit={words.recoveryNew}
      busy={make.isPending}
      fault={make.error}
    />
  )
}
