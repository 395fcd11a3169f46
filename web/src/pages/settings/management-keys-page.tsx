import { Plus } from 'lucide-react'
import type { ManagementKey } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { formatDate } from '../../format/time.ts'
import { Ask } from '../../parts/ask.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable, type Column } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { useMemberNames } from '../../shell/member-names.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { managementKeys as words } from '../../words/settings.ts'
import { CreateManagementKey } from './create-management-key.tsx'
import styles from './settings.module.css'

const LIST = 'GET /organizations/{organization}/management-keys'
const { columns } = words
const COLUMNS: readonly Column[] = [
  { name: columns.name },
  { name: columns.key, className: 'opt' },
  { name: columns.scopes },
  { name: columns.creator, className: 'opt opt-2' },
  { name: columns.expires },
  { name: columns.used },
  { name: columns.actions, hidden: true, className: 'menu-col' },
]

/** Reading the list needs a fresh confirmation of identity: it is read once, and after changes. */
export function ManagementKeysPage() {
  const { path, may } = useOrganization()
  const list = useList(LIST, { path }, { freshFor: Infinity })
  const create = may('management-keys:write') && (
    <DialogButton look="primary" dialog={(close) => <CreateManagementKey onClose={close} />}>
      <Plus size={16} aria-hidden /> {words.create}
    </DialogButton>
  )
  return (
    <>
      <div className={styles.leadLine}>
        <div className={styles.lead}>
          <b>{words.lead}</b>
          <span>{words.leadText}</span>
        </div>
        {create}
      </div>
      <Card>
        <ListTable
          caption={words.lead}
          what={words.lead}
          className="management-keys"
          columns={COLUMNS}
          list={list}
          empty={<Empty title={words.none}>{words.noneText}</Empty>}
          row={(key) => <KeyRow key={key.id} managementKey={key} />}
        />
      </Card>
    </>
  )
}

function KeyRow({ managementKey: key }: { readonly managementKey: ManagementKey }) {
  const nameOf = useMemberNames()
  return (
    <tr>
      <th scope="row">{key.name}</th>
      <td className="opt">
        <code>{key.shown_as}</code>
      </td>
      <td className="wrap">{key.scopes.join(', ')}</td>
      <td className="opt opt-2">{nameOf(key.created_by) ?? words.former}</td>
      <td>
        <State managementKey={key} />
      </td>
      <td data-label={columns.used}>
        {key.last_used_at === null ? words.never : <Ago time={key.last_used_at} />}
      </td>
      <td className="menu-col">{key.revoked_at === null && <Revoke managementKey={key} />}</td>
    </tr>
  )
}

function State({ managementKey: key }: { readonly managementKey: ManagementKey }) {
  if (key.revoked_at !== null) return <Tag tone="line">{words.revoked}</Tag>
  if (Date.parse(key.expires_at) < Date.now()) return <Tag tone="line">{words.expired}</Tag>
  return formatDate(key.expires_at)
}

function Revoke({ managementKey: key }: { readonly managementKey: ManagementKey }) {
  const { path, may } = useOrganization()
  const revoke = useChange('DELETE /organizations/{organization}/management-keys/{key}', [LIST])
  if (!may('management-keys:write')) return null
  return (
    <DialogButton
      size="sm"
      look="danger-quiet"
      dialog={(close) => (
        <Ask
          title={words.revokeTitle(key.name)}
          text={words.revokeText}
          button={words.revoke}
          change={revoke}
          input={{ path: { ...path, key: key.id } }}
          done={words.revokedNow(key.name)}
          onClose={close}
        />
      )}
    >
      {words.revoke}
    </DialogButton>
  )
}
