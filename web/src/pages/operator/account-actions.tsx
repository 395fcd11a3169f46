import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { SIGN_UP } from '../../api/place.ts'
import type { OperatorAccountDetail } from '../../api/routes.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { deletion } from '../../words/deletion.ts'
import { operator } from '../../words/operator.ts'
import { operatorPeople as words } from '../../words/operator-people.ts'
import {
  ResetFactorsDialog,
  ResetLinkDialog,
  RoleDialog,
  SignOutDialog,
  StateDialog,
} from './account-dialogs.tsx'
import { AdmitDialog } from './admit.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { useMayChange } from './platform-role.ts'

type Open = 'admit' | 'state' | 'role' | 'sessions' | 'link' | 'factors' | 'delete' | null

/** What may be done with an account; support only admits. */
export function AccountActions({ account }: { readonly account: OperatorAccountDetail }) {
  const [open, setOpen] = useState<Open>(null)
  const mayChange = useMayChange()
  const close = () => setOpen(null)
  const isInvited = account.state === 'active' && account.by_invitation
  return (
    <>
      {(account.state === 'waiting' || (isInvited && SIGN_UP === 'waiting')) && (
        <Button look="primary" onClick={() => setOpen('admit')}>
          {words.admit}
        </Button>
      )}
      {mayChange && (
        <>
          <Button onClick={() => setOpen('state')}>
            {account.state === 'restricted' ? words.activate : words.restrict}
          </Button>
          <Menu label={operator.waiting.actions} trigger={<Ellipsis size={16} aria-hidden />}>
            <MenuItem onSelect={() => setOpen('role')}>{words.changeRole}</MenuItem>
            <MenuItem onSelect={() => setOpen('link')}>{words.resetLink}</MenuItem>
            <MenuItem onSelect={() => setOpen('factors')}>{words.resetFactors}</MenuItem>
            <MenuItem onSelect={() => setOpen('sessions')}>{words.signOut}</MenuItem>
            <MenuItem onSelect={() => setOpen('delete')}>{deletion.person}</MenuItem>
          </Menu>
        </>
      )}
      {open === 'admit' && <AdmitDialog accounts={[account]} onClose={close} />}
      {open === 'state' && <StateDialog account={account} onClose={close} />}
      {open === 'role' && <RoleDialog account={account} onClose={close} />}
      {open === 'sessions' && <SignOutDialog account={account} onClose={close} />}
      {open === 'factors' && <ResetFactorsDialog account={account} onClose={close} />}
      {open === 'delete' && <DeleteAccount account={account} onClose={close} />}
      {open === 'link' && <ResetLinkDialog account={account} onClose={close} />}
    </>
  )
}
