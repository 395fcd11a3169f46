import { ShieldAlert } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import type { Me } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { errorAt } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useMe } from '../../shell/session.ts'
import { account } from '../../words/account.ts'
import { everywhere } from '../../words/everywhere.ts'
import { AppCard } from './app-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import styles from './account.module.css'

const words = account.security

export function SecurityPage() {
  return (
    <Loaded reading={useMe()} what={account.title}>
      {(me) => (
        <>
          {me.second_factor_required && !me.has_totp && !me.has_passkey && <FactorNeeded />}
          <PasswordCard me={me} />
          <PasskeysCard />
          <AppCard me={me} />
        </>
      )}
    </Loaded>
  )
}

function FactorNeeded() {
  return (
    <div className="strip warn" role="status">
      <ShieldAlert size={16} aria-hidden />
      <span>
        <b>{words.factorNeeded}</b> {words.factorNeededText}
      </span>
    </div>
  )
}

function PasswordCard({ me }: { readonly me: Me }) {
  const [open, setOpen] = useState(false)
  return (
    <Card title={words.password}>
      <div className={styles.setting}>
        <span className="grow">{me.has_password ? words.passwordSet : words.passwordNone}</span>
        <Button onClick={() => setOpen(true)}>
          {me.has_password ? words.passwordChange : words.passwordAdd}
        </Button>
      </div>
      {open && <NewPassword email={me.email} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function NewPassword({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const [password, setPassword] = useState('')
  const set = useChange('PUT /me/password', ['GET /me', 'GET /sessions'])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (set.isPending) return
    const onSuccess = () => {
      say(words.passwordSaved)
      onClose()
    }
    set.mutate({ body: { password } }, { onSuccess })
  }
  const { error } = set
  return (
    <Dialog open onClose={onClose} title={words.passwordSave} description={words.passwordText}>
      <form onSubmit={submit} noValidate>
        {/* Password managers store the password with this address. */}
        <input
          className="sr"
          type="email"
          autoComplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
        <DialogBody>
          {error !== null && error.param === null && <FaultNote fault={error} />}
          <PasswordField
            label={words.passwordNew}
            name="password"
            autoComplete="new-password"
            autoFocus
            hint={words.passwordHint}
            value={password}
            error={errorAt(error, 'password')}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{everywhere.cancel}</Button>
          <Button type="submit" look="primary" busy={set.isPending}>
            {words.passwordSave}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
