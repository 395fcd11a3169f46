import { KeyRound } from 'lucide-react'
import type { OrganizationDetail } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { Ask } from '../../../parts/ask.tsx'
import { DialogButton } from '../../../parts/dialog-button.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { useMayChange } from '../platform-role.ts'
import { DETAIL } from './use-organization-detail.ts'

/** Says that members enter with SSO only, and lets an operator lift the rule. */
export function SsoOnly({ organization: { id, name } }: Pick<OrganizationDetail, 'organization'>) {
  const mayChange = useMayChange()
  const lift = useChange('DELETE /operator/organizations/{organization}/sso-only', [DETAIL])
  return (
    <div className="strip">
      <KeyRound size={16} aria-hidden />
      <span className="grow">{words.ssoOnly}</span>
      {mayChange && (
        <DialogButton
          dialog={(close) => (
            <Ask
              title={words.liftSsoOnlyTitle(name)}
              text={words.liftSsoOnlyText}
              button={words.liftSsoOnly}
              change={lift}
              input={{ path: { organization: id } }}
              done={words.ssoOnlyLifted}
              onClose={close}
            />
          )}
        >
          {words.liftSsoOnly}
        </DialogButton>
      )}
    </div>
  )
}
