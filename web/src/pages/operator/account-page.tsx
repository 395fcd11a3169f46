import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { OperatorAccountDetail } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, UNKNOWN } from '../../format/number.ts'
import { Copy } from '../../parts/copy.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago, Instant } from '../../parts/time.tsx'
import { operatorPeople as words } from '../../words/operator-people.ts'
import { roles } from '../../words/roles.ts'
import { AccountActions } from './account-actions.tsx'
import { StateTag } from './accounts-page.tsx'
import styles from './operator.module.css'

const route = getRouteApi('/app/operator/accounts/$account')

export function AccountPage() {
  const { account } = route.useParams()
  const reading = useApi('GET /operator/accounts/{account}', { path: { account } })
  const known = reading.data
  return (
    <Page
      title={known?.email ?? words.account}
      sub={known !== undefined && <StateTag state={known.state} />}
      crumb={
        <Link className="crumb" to="/operator/accounts">
          <ChevronLeft size={14} aria-hidden /> {words.back}
        </Link>
      }
      actions={known !== undefined && <AccountActions account={known} />}
    >
      <Loaded reading={reading} what={words.account}>
        {(value) => (
          <div className={styles.stacked}>
            <Facts account={value} />
            <Organizations account={value} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function yesNo(value: boolean): string {
  return value ? words.yes : words.no
}

function Facts({ account }: { readonly account: OperatorAccountDetail }) {
  const role = account.platform_role
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    [words.name, account.name ?? UNKNOWN],
    [words.platformRole, role === null ? words.noRole : words.platformRoles[role]],
    [words.created, <Instant key="created" time={account.created_at} />],
    [words.lastSeen, <Ago key="seen" time={account.last_seen_at} />],
    [words.verified, yesNo(account.email_verified)],
    [words.byInvitation, yesNo(account.by_invitation)],
    [words.registered, yesNo(account.registered)],
    [words.secondFactor, yesNo(account.second_factor)],
    [words.sessions, formatCount(account.sessions)],
    [words.terms, account.terms_version ?? UNKNOWN],
    [words.id, <Copy key="id" value={account.id} what={words.id} />],
  ]
  return (
    <Card title={words.facts}>
      <dl className={`${styles.factGrid} card-body`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

const COLUMNS = [{ name: words.organization }, { name: words.role }, { name: words.membership }]

function Organizations({ account }: { readonly account: OperatorAccountDetail }) {
  return (
    <Card title={words.organizations}>
      {account.organizations.length === 0 ? (
        <Empty title={words.noOrganizations}>{words.noOrganizationsText}</Empty>
      ) : (
        <Table caption={words.organizationsCaption} className="listed" columns={COLUMNS}>
          {account.organizations.map(({ id, slug, name, role, state }) => (
            <tr key={id}>
              <th scope="row">
                <Link to="/operator/organizations/$organization" params={{ organization: slug }}>
                  <Name value={name} />
                </Link>
              </th>
              <td>{roles.names[role]}</td>
              <td className="ink-3 xs-n">{words.memberships[state]}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
