import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { OrganizationDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../../parts/dialog.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { everywhere } from '../../../words/everywhere.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { useMayChange } from '../platform-role.ts'
import { DETAIL } from './use-organization-detail.ts'

/** Says that members enter with SSO only, and lets an operator lift the rule. */
export function SsoOnly({ organization: { id, name } }: Pick<OrganizationDetail, 'organization'>) {
  const [asks, setAsks] = useState(false)
  const mayChange = useMayChange()
  const lift = useChange('DELETE /operator/organizations/{organization}/sso-only', [DETAIL])
  const close = () => setAsks(false)
  const send = () =>
    lift.mutate(
      { path: { organization: id } },
      {
        onSuccess: () => {
          say(words.ssoOnlyLifted)
          close()
        },
      },
    )
  return (
    <div className="strip">
      <KeyRound size={16} aria-hidden />
      <span className="grow">{words.ssoOnly}</span>
      {mayChange && <Button onClick={() => setAsks(true)}>{words.liftSsoOnly}</Button>}
      <Dialog
        open={asks}
        alert
        onClose={close}
        title={words.liftSsoOnlyTitle(name)}
        description={words.liftSsoOnlyText}
      >
        {lift.error !== null && (
          <DialogBody>
            <FaultNote fault={lift.error} />
          </DialogBody>
        )}
        <DialogFoot>
          <Button onClick={close}>{everywhere.cancel}</Button>
          <Button look="danger" busy={lift.isPending} onClick={send}>
            {words.liftSsoOnly}
          </Button>
        </DialogFoot>
      </Dialog>
    </div>
  )
}
