import { useState } from 'react'
import { useApi, useChange } from '../../api/use-api.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { contacts as words } from '../../words/billing.ts'
import { EmailsField, joinEmails, splitEmails } from './emails-field.tsx'

const READ = 'GET /organizations/{organization}/billing-contacts'

/** Who gets emails about money. */
export function Contacts() {
  const { path, may } = useOrganization()
  const reading = useApi(READ, { path })
  const emails = reading.data?.emails
  return (
    <Card
      title={words.card}
      meta={words.meta}
      end={
        may('billing:write') &&
        emails !== undefined && (
          <DialogButton
            size="sm"
            // Opened again at once, it still has the list before the last change.
            dialog={(close) => (
              <ContactsDialog key={emails.join()} emails={emails} onClose={close} />
            )}
          >
            {words.change}
          </DialogButton>
        )
      }
    >
      <Loaded reading={reading} what={words.card}>
        {(contacts) =>
          contacts.emails.length === 0 ? (
            <p className="card-body ink-3">{words.none}</p>
          ) : (
            <ul className="entries">
              {contacts.emails.map((address) => (
                <li key={address}>{address}</li>
              ))}
            </ul>
          )
        }
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
  return (
    <ChangeDialog
      title={words.card}
      description={words.text}
      submit={words.save}
      change={saving}
      input={{ path, body: { emails: splitEmails(text) } }}
      fields={['emails']}
      done={words.saved}
      onClose={onClose}
    >
      <EmailsField value={text} fault={saving.error} onChange={setText} />
    </ChangeDialog>
  )
}
