import { Link } from '@tanstack/react-router'
import { useList } from '../../../api/use-list.ts'
import { UNKNOWN } from '../../../format/number.ts'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable } from '../../../parts/table.tsx'
import { Ago } from '../../../parts/time.tsx'
import { roles } from '../../../words/roles.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'

const PAGE = 20

const COLUMNS = [
  { name: words.person },
  { name: words.role },
  { name: words.secondFactor, className: 'opt-2' },
  { name: words.lastSeen },
]

export function MembersCard({ organization }: { readonly organization: string }) {
  const list = useList('GET /operator/organizations/{organization}/members', {
    path: { organization },
    query: { limit: PAGE },
  })
  return (
    <Card title={words.members}>
      <ListTable
        caption={words.membersCaption}
        what={words.members}
        columns={COLUMNS}
        list={list}
        empty={<Empty title={words.noMembers}>{words.noMembersText}</Empty>}
        row={({ id, email, name, role, second_factor: factor, last_seen_at: seen }) => (
          <tr key={id}>
            <th scope="row">
              <Link to="/operator/accounts/$account" params={{ account: id }}>
                <Name value={name ?? email} />
              </Link>
              {name !== null && (
                <span className="ink-3">
                  {' '}
                  <Name value={email} />
                </span>
              )}
            </th>
            <td>{roles.names[role]}</td>
            <td className="opt opt-2">
              {factor === null ? UNKNOWN : factor ? words.yes : words.no}
            </td>
            <td className="ink-3 xs-n">
              <Ago time={seen} />
            </td>
          </tr>
        )}
      />
    </Card>
  )
}
