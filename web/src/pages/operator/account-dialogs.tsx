import { useState } from 'react'
import type { OperatorAccountDetail } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { formatCount } from '../../format/number.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { errorAt, Select } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { operatorPeople as words } from '../../words/operator-people.ts'
import { CHANGES_ACCOUNTS, NoteField } from './admit.tsx'

type Props = { readonly account: OperatorAccountDetail; readonly onClose: () => void }

/** Restricts an account, or activates it again. */
export function StateDialog({ account, onClose }: Props) {
  const change = useChange('PATCH /operator/accounts/{account}', CHANGES_ACCOUNTS)
  const [note, setNote] = useState('')
  const restricted = account.state === 'restricted'
  const title = restricted ? words.activateTitle : words.restrictTitle
  const state = restricted ? 'active' : 'restricted'
  return (
    <ChangeDialog
      alert={!restricted}
      title={title(account.email)}
      description={restricted ? words.activateText : words.restrictText}
      submit={restricted ? words.activate : words.restrict}
      danger={!restricted}
      change={change}
      input={{ path: { account: account.id }, body: { state, ...(note !== '' && { note }) } }}
      fields={['note']}
      done={words.changed}
      onClose={onClose}
    >
      <NoteField value={note} onChange={setNote} error={errorAt(change.error, 'note')} />
    </ChangeDialog>
  )
}

const NONE = 'none'

export function RoleDialog({ account, onClose }: Props) {
  const change = useChange('PATCH /operator/accounts/{account}', CHANGES_ACCOUNTS)
  const [role, setRole] = useState<string>(account.platform_role ?? NONE)
  const chosen = role === 'support' || role === 'operator' ? role : null
  return (
    <ChangeDialog
      title={words.roleTitle}
      description={words.roleText}
      submit={everywhere.save}
      change={change}
      input={{ path: { account: account.id }, body: { platform_role: chosen } }}
      done={words.changed}
      onClose={onClose}
    >
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
    </ChangeDialog>
  )
}

export function SignOutDialog({ account, onClose }: Props) {
  const end = useChange('DELETE /operator/accounts/{account}/sessions', CHANGES_ACCOUNTS)
  return (
    <Ask
      title={words.signOutTitle(account.email)}
      text={words.signOutText(formatCount(account.sessions))}
      button={words.signOut}
      change={end}
      input={{ path: { account: account.id } }}
      done={words.signedOut}
      onClose={onClose}
    />
  )
}

/** For somebody who lost the authenticator app and the recovery codes. */
export function ResetFactorsDialog({ account, onClose }: Props) {
  const reset = useChange('DELETE /operator/accounts/{account}/factors', CHANGES_ACCOUNTS)
  return (
    <Ask
      title={words.resetFactorsTitle(account.email)}
      text={words.resetFactorsText}
      button={words.resetFactors}
      change={reset}
      input={{ path: { account: account.id } }}
      done={words.factorsReset}
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
            {shown === null ? everywhere.close : everywhere.copiedIt}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}
