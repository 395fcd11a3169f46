import { Check } from 'lucide-react'
import { grantOf } from '../../../../src/tenancy/permissions.ts'
import { UNKNOWN } from '../../format/number.ts'
import { Card } from '../../parts/page.tsx'
import { TableWrap } from '../../parts/table-wrap.tsx'
import { TableHead } from '../../parts/table.tsx'
import { rights as words } from '../../words/members.ts'
import { roles } from '../../words/roles.ts'
import { ROLES } from './role-menu.tsx'
import styles from './members.module.css'

const ROWS = Object.keys(words.rows) as (keyof typeof words.rows)[]

/** What each role may do, from the table that the server decides by. */
export function RoleTable() {
  return (
    <Card title={words.title}>
      <TableWrap label={words.table}>
        <table className={`table dense ${styles.roles}`}>
          <caption className="sr">{words.title}</caption>
          <TableHead
            columns={[{ name: words.may }, ...ROLES.map((role) => ({ name: roles.names[role] }))]}
          />
          <tbody>
            {ROWS.map((permission) => (
              <tr key={permission}>
                <th scope="row">{words.rows[permission]}</th>
                {ROLES.map((role) => (
                  <td key={role}>
                    <Granted grant={grantOf(permission, role)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </Card>
  )
}

function Granted({ grant }: { readonly grant: 'all' | 'own' | undefined }) {
  if (grant === 'own') return <span className="ink-2">{words.own}</span>
  if (grant === undefined)
    return (
      <>
        <span aria-hidden className="ink-3">
          {UNKNOWN}
        </span>
        <span className="sr">{words.no}</span>
      </>
    )
  return (
    <>
      <Check size={16} aria-hidden className="accent" />
      <span className="sr">{words.yes}</span>
    </>
  )
}
