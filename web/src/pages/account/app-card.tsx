import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Me } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { account } from '../../words/account.ts'
import { everywhere } from '../../words/everywhere.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'
import styles from './account.module.css'

const words = account.security

type Open = 'set up' | 'remove' | 'new codes' | undefined

/** The authenticator app with its recovery codes. */
export function AppCard({ me }: { readonly me: Me }) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return (
    <Card title={words.app}>
      <div className={styles.setting}>
        <span className="grow">{me.has_totp ? words.appOn : words.appOff}</span>
        {me.has_totp ? (
          <Button look="danger-quiet" onClick={() => setOpen('remove')}>
            {words.appRemove}
          </Button>
        ) : (
          <Button onClick={() => setOpen('set up')}>{words.appAdd}</Button>
        )}
      </div>
      {me.has_totp && (
        <div className={styles.setting}>
          <span className="grow">{words.recoveryText}</span>
          <Button onClick={() => setOpen('new codes')}>{words.recoveryNew}</Button>
        </div>
      )}
      {open === 'set up' && <SetUp onClose={close} />}
      {open === 'remove' && <RemoveApp onClose={close} />}
      {open === 'new codes' && <NewCodes onClose={close} />}
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
  const onSuccess = () => {
    say(words.appRemoved)
    onClose()
  }
  return (
    <Ask
      title={words.appRemove}
      text={words.appRemoveText}
      button={words.appRemove}
      fault={remove.error}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({}, { onSuccess })}
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
    <Dialog open onClose={onClose} title={words.recoveryNew} description={words.recoveryNewText}>
      {make.error !== null && (
        <DialogBody>
          <FaultNote fault={make.error} />
        </DialogBody>
      )}
      <DialogFoot>
        <Button autoFocus onClick={onClose}>
          {everywhere.cancel}
        </Button>
        <Button look="primary" busy={make.isPending} onClick={() => make.mutate({})}>
          {words.recoveryNew}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
