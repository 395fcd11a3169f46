import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import type { Me } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { errorAt } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useMe } from '../../shell/session.ts'
import { account } from '../../words/account.ts'
import { StoredAddress } from '../entry/stored-address.tsx'
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
  return (
    <Card title={words.password}>
      <div className={styles.setting}>
        <span className="grow">{me.has_password ? words.passwordSet : words.passwordNone}</span>
        <DialogButton dialog={(close) => <NewPassword email={me.email} onClose={close} />}>
          {me.has_password ? words.passwordChange : words.passwordAdd}
        </DialogButton>
      </div>
    </Card>
  )
}

function NewPassword({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const [password, setPassword] = useState('')
  const set = useChange('PUT /me/password', ['GET /me', 'GET /sessions'])
  return (
    <ChangeDialog
      title={words.passwordSave}
      description={words.passwordText}
      noValidate
      submit={words.passwordSave}
      change={set}
      input={{ body: { password } }}
      fields={['password']}
      done={words.passwordSaved}
      onClose={onClose}
    >
      <StoredAddress email={email} />
      <PasswordField
        label={words.passwordNew}
        name="password"
        autoComplete="new-password"
        autoFocus
        hint={words.passwordHint}
        value={password}
        error={errorAt(set.error, 'password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </ChangeDialog>
  )
}
