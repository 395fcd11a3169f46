import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { contacts as words } from '../../words/billing.ts'
import { EmailsField, joinEmails, splitEmails, startsAt } from './emails-field.tsx'

const READ = 'GET /organizations/{organization}/billing-contacts'

/** Who gets emails about money. */
export function Contacts() {
  const { path, may } = useOrganization()
  const [changing, setChanging] = useState(false)
  const reading = useApi(READ, { path })
  return (
    <Card
      title={words.card}
      meta={words.meta}
      end={
        may('billing:write') &&
        reading.data !== undefined && (
          <Button size="sm" onClick={() => setChanging(true)}>
            <Pencil size={14} aria-hidden /> {words.change}
          </Button>
        )
      }
    >
      <Loaded reading={reading} what={words.card}>
        {({ emails }) => (
          <>
            {emails.length === 0 && <p className="card-body ink-3">{words.none}</p>}
            <ul className="entries">
              {emails.map((address) => (
                <li key={address}>{address}</li>
              ))}
            </ul>
            {changing && (
              // Opened again at once, it still has the list before the last change.
              <ContactsDialog
                key={emails.join()}
                emails={emails}
                onClose={() => setChanging(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function ContactsDialog({
  emails,
  onClose,
}: {
  readonly emails: readonly string[]
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [text, setText] = useState(() => joinEmails(emails))
  const saving = useChange('PUT /organizations/{organization}/billing-contacts', [READ])
  const fault = saving.error
  const onSuccess = () => {
    say(words.saved)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={words.title}
      description={words.text}
      onSubmit={() => saving.mutate({ path, body: { emails: splitEmails(text) } }, { onSuccess })}
      submit={words.save}
      busy={saving.isPending}
    >
      {fault !== null && !startsAt(fault.param, 'emails') && <FaultNote fault={fault} />}
      <EmailsField value={text} fault={fault} onChange={setText} />
    </FormDialog>
  )
}
