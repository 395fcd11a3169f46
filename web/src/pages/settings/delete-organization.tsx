import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
import { Button } from '../../parts/button.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { deletion as words } from '../../words/deletion.ts'

export function DeleteOrganizationCard() {
  const [asks, setAsks] = useState(false)
  return (
    <Card title={words.organization}>
      <p className="card-body form-foot">
        <span className="grow ink-2">{words.organizationHint}</span>
        <Button look="danger" onClick={() => setAsks(true)}>
          {words.organizationDelete}
        </Button>
      </p>
      {asks && <DeleteOrganization onClose={() => setAsks(false)} />}
    </Card>
  )
}

function DeleteOrganization({ onClose }: { readonly onClose: () => void }) {
  const { path, name } = useOrganization()
  const [forfeit, setForfeit] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useChange('DELETE /organizations/{organization}')
  // Read again elsewhere: this page is of an organization that is gone.
  const onSuccess = async () => {
    say(words.organizationDeleted(name))
    await navigate({ to: '/account/organizations' })
    await queries.invalidateQueries({ queryKey: ['GET /me/organizations'] })
  }
  const query = forfeit ? { forfeit_balance: true } : {}
  return (
    <AskByName
      title={words.organizationTitle(name)}
      text={words.organizationText}
      name={name}
      button={words.organizationDelete}
      fault={remove.error}
      busy={remove.isPending || remove.isSuccess}
      onConfirm={() => remove.mutate({ path, query }, { onSuccess: () => void onSuccess() })}
      onClose={onClose}
    >
      {(forfeit || remove.error?.code === 'conflict') && (
        <Checkbox
          label={words.forfeit}
          checked={forfeit}
          onChange={(event) => setForfeit(event.currentTarget.checked)}
        />
      )}
    </AskByName>
  )
}
