import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { OrganizationDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { Ask } from '../../../parts/ask.tsx'
import { Button } from '../../../parts/button.tsx'
import { say } from '../../../parts/toast.tsx'
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
      {asks && (
        <Ask
          title={words.liftSsoOnlyTitle(name)}
          text={words.liftSsoOnlyText}
          button={words.liftSsoOnly}
          fault={lift.error}
          busy={lift.isPending}
          onConfirm={send}
          onClose={close}
        />
      )}
    </div>
  )
}
