import { useState } from 'react'
import type { AccountChange, OperatorAccountDetail } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { formatCount } from '../../format/number.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { errorAt, Select } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { operatorPeople as words } from '../../words/operator-people.ts'
import { CHANGES_ACCOUNTS, NoteField } from './admit.tsx'

type Props = { readonly account: OperatorAccountDetail; readonly onClose: () => void }

function useAccountChange({ account, onClose }: Props) {
  const change = useChange('PATCH /operator/accounts/{account}', CHANGES_ACCOUNTS)
  const send = (body: AccountChange) =>
    change.mutate(
      { path: { account: account.id }, body },
      {
        onSuccess: () => {
          say(words.changed)
          onClose()
        },
      },
    )
  return { change, send }
}

/** Restricts an account, or activates it again. */
export function StateDialog(props: Props) {
  const { account, onClose } = props
  const { change, send } = useAccountChange(props)
  const [note, setNote] = useState('')
  const restricted = account.state === 'restricted'
  const title = restricted ? words.activateTitle : words.restrictTitle
  return (
    <Dialog
      open
      alert={!restricted}
      onClose={onClose}
      title={title(account.email)}
      description={restricted ? words.activateText : words.restrictText}
    >
      <DialogBody>
        <NoteField value={note} onChange={setNote} error={errorAt(change.error, 'note')} />
        {change.error !== null && change.error.param !== 'note' && (
          <FaultNote fault={change.error} />
        )}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.cancel}</Button>
        <Button
          look={restricted ? 'primary' : 'danger'}
          busy={change.isPending}
          onClick={() =>
            send({ state: restricted ? 'active' : 'restricted', ...(note !== '' && { note }) })
          }
        >
          {restricted ? words.activate : words.restrict}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

const NONE = 'none'

export function RoleDialog(props: Props) {
  const { account, onClose } = props
  const { change, send } = useAccountChange(props)
  const [role, setRole] = useState<string>(account.platform_role ?? NONE)
  const chosen = role === 'support' || role === 'operator' ? role : null
  return (
    <Dialog open onClose={onClose} title={words.roleTitle} description={words.roleText}>
      <DialogBody>
        <Select
          label={words.platformRole}
          value={role}
          onChange={setRole}
          options={[
            { value: NONE, label: words.noRole },
            { value: 'support', label: words.platformRoles.support },
            { value: 'operator', label: words.platformRoles.operator },
          ]}
        />
        {change.error !== null && <FaultNote fault={change.error} />}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.cancel}</Button>
        <Button
          look="primary"
          busy={change.isPending}
          onClick={() => send({ platform_role: chosen })}
        >
          {everywhere.save}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

export function SignOutDialog({ account, onClose }: Props) {
  const end = useChange('DELETE /operator/accounts/{account}/sessions', CHANGES_ACCOUNTS)
  const told = { title: words.signOutTitle(account.email), action: words.signOut }
  const description = words.signOutText(formatCount(account.sessions))
  const text = { ...told, description, done: words.signedOut }
  return <DangerDialog account={account} onClose={onClose} change={end} text={text} />
}

/** For somebody who lost the authenticator app and the recovery codes. */
export function ResetFactorsDialog({ account, onClose }: Props) {
  const reset = useChange('DELETE /operator/accounts/{account}/factors', CHANGES_ACCOUNTS)
  const told = { title: words.resetFactorsTitle(account.email), action: words.resetFactors }
  const text = { ...told, description: words.resetFactorsText, done: words.factorsReset }
  return <DangerDialog account={account} onClose={onClose} change={reset} text={text} />
}

type Danger = Props & {
  readonly change: ReturnType<typeof useChange<'DELETE /operator/accounts/{account}/sessions'>>
  readonly text: Readonly<Record<'title' | 'description' | 'action' | 'done', string>>
}

/** Asks once more before something that the person of the account notices. */
function DangerDialog({ account, onClose, change, text }: Danger) {
  const send = () =>
    change.mutate(
      { path: { account: account.id } },
      {
        onSuccess: () => {
          say(text.done)
          onClose()
        },
      },
    )
  return (
    <Ask
      title={text.title}
      text={text.description}
      button={text.action}
      fault={change.error}
      busy={change.isPending}
      onConfirm={send}
      onClose={onClose}
    />
  )
}

/** The link is in the memory of this dialog only, and gone with it. */
export function ResetLinkDialog({ account, onClose }: Props) {
  const make = useChange('POST /operator/accounts/{account}/reset-link')
  const made = make.data
  const shown = made?.link ?? null
  return (
    <Dialog
      open
      onClose={onClose}
      keepOpen={shown !== null}
      title={words.resetTitle}
      description={words.resetText(account.email)}
    >
      <DialogBody>
        {make.error !== null && <FaultNote fault={make.error} />}
        {made?.sent === true && <p role="status">{words.linkSent(account.email)}</p>}
        {shown !== null && (
          <>
            <p role="status">{words.linkShown}</p>
            <Code text={shown} what={words.copyLink} />
          </>
        )}
      </DialogBody>
      <DialogFoot>
        {made === undefined ? (
          <>
            <Button onClick={onClose}>{everywhere.cancel}</Button>
            <Button
              look="primary"
              busy={make.isPending}
              onClick={() => make.mutate({ path: { account: account.id } })}
            >
              {words.makeLink}
            </Button>
          </>
        ) : (
          <Button look="primary" onClick={onClose}>
            {shown === null ? everywhere.close : words.done}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}
