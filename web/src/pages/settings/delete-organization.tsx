import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { deletion as words } from '../../words/deletion.ts'

export function DeleteOrganizationCard() {
  const { path, name } = useOrganization()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useChange('DELETE /organizations/{organization}')
  // Read again elsewhere: this page is of an organization that is gone.
  const leave = async () => {
    await navigate({ to: '/account/organizations' })
    await queries.invalidateQueries({ queryKey: ['GET /me/organizations'] })
  }
  return (
    <Card title={words.organization}>
      <p className="card-body form-foot">
        <span className="grow ink-2">{words.organizationHint}</span>
        <DialogButton
          look="danger"
          dialog={(close) => (
            <DeleteOrganization
              name={name}
              organization={path.organization}
              change={remove}
              onDone={() => void leave()}
              onClose={close}
            />
          )}
        >
          {words.organizationDelete}
        </DialogButton>
      </p>
    </Card>
  )
}

/** Asks for the name, and, if money is left, for the consent that it is forfeited. */
export function DeleteOrganization({
  name,
  organization,
  change,
  onDone,
  onClose,
}: {
  readonly name: string
  /** Its slug or id. */
  readonly organization: string
  readonly change: ReturnType<typeof useChange<'DELETE /organizations/{organization}'>>
  readonly onDone: () => void
  readonly onClose: () => void
}) {
  const [forfeit, setForfeit] = useState(false)
  const query = forfeit ? { forfeit_balance: true } : {}
  return (
    <AskByName
      title={words.organizationTitle(name)}
      text={words.organizationText}
      name={name}
      button={words.organizationDelete}
      change={change}
      input={{ path: { organization }, query }}
      done={words.organizationDeleted(name)}
      onDone={onDone}
      onClose={onClose}
    >
      {(forfeit || change.error?.param === 'forfeit_balance') && (
        <Checkbox
          label={words.forfeit}
          checked={forfeit}
          onChange={(event) => setForfeit(event.currentTarget.checked)}
        />
      )}
    </AskByName>
  )
}
