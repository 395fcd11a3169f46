import { useRouterState } from '@tanstack/react-router'
import { Fingerprint, KeyRound } from 'lucide-react'
import { useState, type ChangeEvent, type ReactNode, type SubmitEvent } from 'react'
import { choosePasskey, HAS_PASSKEYS } from '../api/passkeys.ts'
import type { Confirmation, Me } from '../api/routes.ts'
import { useApi, useChange } from '../api/use-api.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { FaultNote, Loaded } from '../parts/states.tsx'
import { confirm as words } from '../words/confirm.ts'
import { shell } from '../words/shell.ts'
import { useMe } from './session.ts'
import { useProvider } from './use-provider.ts'

/** Password, code of the app, passkey or identity provider: whatever the account has. */
export function ConfirmDialog({ onDone }: { readonly onDone: (confirmed: boolean) => void }) {
  const me = useMe()
  const confirm = useChange('POST /sessions/current/confirm')
  const send = (body: Confirmation) => {
    if (!confirm.isPending) confirm.mutate({ body }, { onSuccess: () => onDone(true) })
  }
  return (
    <Dialog open onClose={() => onDone(false)} title={words.title} description={words.text}>
      <Loaded reading={me} what={shell.account}>
        {(person) => (
          <>
            {confirm.error !== null && (
              <DialogBody>
                <FaultNote fault={confirm.error} />
              </DialogBody>
            )}
            <Ways me={person} busy={confirm.isPending} send={send} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

type WayProps = {
  readonly me: Me
  readonly busy: boolean
  readonly send: (confirmation: Confirmation) => void
}

function Ways({ me, busy, send }: WayProps) {
  const [byCode, setByCode] = useState(!me.has_password)
  const hasForm = me.has_password || me.has_totp
  const hasPasskey = me.has_passkey && HAS_PASSKEYS
  const isByCode = me.has_totp && byCode
  const others = (
    <>
      {me.has_password && me.has_totp && (
        <Button look="ghost" onClick={() => setByCode(!isByCode)}>
          {isByCode ? words.usePassword : words.useCode}
        </Button>
      )}
      {hasPasskey && <PasskeyButton look={hasForm ? 'plain' : 'primary'} busy={busy} send={send} />}
    </>
  )
  return (
    <>
      <Providers email={me.email} alone={!hasForm && !hasPasskey} />
      {hasForm ? (
        <SecretForm key={String(isByCode)} byCode={isByCode} busy={busy} send={send}>
          {others}
        </SecretForm>
      ) : (
        hasPasskey && <DialogFoot>{others}</DialogFoot>
      )}
    </>
  )
}

function PasskeyButton({
  look,
  busy,
  send,
}: Omit<WayProps, 'me'> & { readonly look: 'plain' | 'primary' }) {
  const ask = async () => {
    const credential = await choosePasskey()
    if (credential !== undefined) send({ credential })
  }
  return (
    <Button busy={busy} look={look} onClick={() => void ask()}>
      <Fingerprint size={16} aria-hidden /> {words.passkey}
    </Button>
  )
}

function SecretForm({
  byCode,
  busy,
  send,
  children,
}: Omit<WayProps, 'me'> & { readonly byCode: boolean; readonly children: ReactNode }) {
  const [secret, setSecret] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send(byCode ? { code: secret.replaceAll(' ', '') } : { password: secret })
  }
  const shared = {
    autoFocus: true,
    value: secret,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setSecret(event.currentTarget.value),
  }
  const code = { inputMode: 'numeric', autoComplete: 'one-time-code' } as const
  return (
    <form onSubmit={submit} noValidate>
      <DialogBody>
        {byCode ? (
          <TextField {...shared} {...code} label={words.code} name="code" />
        ) : (
          <PasswordField
            {...shared}
            label={words.password}
            name="password"
            autoComplete="current-password"
          />
        )}
      </DialogBody>
      <DialogFoot>
        {children}
        <Button type="submit" look="primary" busy={busy}>
          {words.submit}
        </Button>
      </DialogFoot>
    </form>
  )
}

/** The provider is another site, so the page has to be left. */
function Providers({ email, alone }: { readonly email: string; readonly alone: boolean }) {
  const to = useRouterState({ select: (state) => state.location.href })
  const provider = useProvider()
  const found = useApi('POST /sso/lookup', { body: { email } }).data?.connections ?? []
  if (found.length === 0) return alone ? <DialogBody>{words.none}</DialogBody> : null
  return (
    <DialogBody>
      {provider.fault !== null && <FaultNote fault={provider.fault} />}
      {found.map(({ id, name }) => (
        <Button
          key={id}
          look={alone ? 'primary' : 'plain'}
          busy={provider.busy}
          onClick={() => provider.goTo(id, { to, confirm: true })}
        >
          <KeyRound size={16} aria-hidden /> {words.sso(name)}
        </Button>
      ))}
      <p className="ink-3">{words.ssoText}</p>
    </DialogBody>
  )
}
