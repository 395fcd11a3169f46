import { useQueryClient } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { HAS_PASSKEYS } from '../../api/passkeys.ts'
import type { Passkey } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { Ask } from '../../parts/ask.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { account } from '../../words/account.ts'
import { everywhere } from '../../words/everywhere.ts'
import { deviceOf } from './device.ts'
import { useNewPasskey } from './use-new-passkey.ts'

const words = account.security

const COLUMNS = [
  { name: words.columns.name },
  { name: words.columns.kind },
  { name: words.columns.added },
  { name: words.columns.used },
  { name: words.columns.actions, hidden: true },
]

export function PasskeysCard() {
  const list = useList('GET /me/passkeys', {})
  const add = HAS_PASSKEYS && (
    <DialogButton size="sm" dialog={(close) => <AddPasskey onClose={close} />}>
      {words.passkeyAdd}
    </DialogButton>
  )
  return (
    <Card title={words.passkeys} end={add}>
      <ListTable
        caption={words.passkeys}
        what={words.passkeys}
        columns={COLUMNS}
        list={list}
        empty={
          <Empty icon={<Fingerprint size={20} aria-hidden />} title={words.passkeysNone}>
            {words.passkeysText}
          </Empty>
        }
        row={(passkey) => (
          <tr key={passkey.id}>
            <th scope="row">{passkey.name}</th>
            <td>{passkey.backed_up ? words.synced : words.oneDevice}</td>
            <td data-label={words.columns.added}>
              <Ago time={passkey.created_at} />
            </td>
            <td data-label={words.columns.used}>
              {passkey.last_used_at === null ? (
                words.neverUsed
              ) : (
                <Ago time={passkey.last_used_at} />
              )}
            </td>
            <td className="num">
              <DialogButton
                size="sm"
                dialog={(close) => <RemovePasskey passkey={passkey} onClose={close} />}
              >
                {everywhere.remove}
              </DialogButton>
            </td>
          </tr>
        )}
      />
    </Card>
  )
}

function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(() => deviceOf(navigator.userAgent)?.system ?? '')
  const { busy, fault, make } = useNewPasskey((made) => {
    say(words.passkeyAdded(made))
    void queries.invalidateQueries({ queryKey: ['GET /me/passkeys'] })
    void queries.invalidateQueries({ queryKey: ['GET /me'] })
    onClose()
  })
  const api = typeof fault === 'string' ? null : fault
  return (
    <FormDialog
      onClose={onClose}
      title={words.passkeyAdd}
      description={words.passkeysText}
      noValidate
      onSubmit={() => make(name.trim())}
      submit={words.passkeyAdd}
      busy={busy}
      fault={api}
      fields={['name']}
    >
      <TextField
        label={words.passkeyName}
        name="passkey"
        autoFocus
        hint={words.passkeyNameHint}
        value={name}
        error={typeof fault === 'string' ? fault : errorAt(api, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

function RemovePasskey({
  passkey: { id, name },
  onClose,
}: {
  readonly passkey: Passkey
  readonly onClose: () => void
}) {
  const remove = useChange('DELETE /me/passkeys/{passkey}', ['GET /me/passkeys', 'GET /me'])
  return (
    <Ask
      title={words.passkeyRemove}
      text={words.passkeyRemoveText(name)}
      button={words.passkeyRemove}
      change={remove}
      input={{ path: { passkey: id } }}
      done={words.passkeyRemoved(name)}
      onClose={onClose}
    />
  )
}
