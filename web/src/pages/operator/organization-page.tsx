import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import type { OrganizationDetail } from '../../api/routes.ts'
import { formatCount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { formatInstant } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { LinesCard, type Line } from '../../parts/lines-card.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Instant } from '../../parts/time.tsx'
import { creditLimit } from '../../words/credit-limit.ts'
import { deletion } from '../../words/deletion.ts'
import { operatorOrganizations as words } from '../../words/operator-organizations.ts'
import { suspension } from '../../words/suspension.ts'
import { ChangeOrganization } from './organization/change-organization.tsx'
import { describeCredit, hasCredit, SetCreditLimit } from './organization/credit-limit.tsx'
import { OperatorDeleteOrganization } from './organization/delete-organization.tsx'
import { MembersCard } from './organization/members-card.tsx'
import { SsoOnly } from './organization/sso-only.tsx'
import { SuspendOrganization, SuspensionStrip } from './organization/suspension.tsx'
import { TransfersCard } from './organization/transfers-card.tsx'
import { UsageCard } from './organization/usage-card.tsx'
import { useOrganizationDetail, type Versioned } from './organization/use-organization-detail.ts'
import { BillingTag } from './organizations-page.tsx'
import { useMayChange } from './platform-role.ts'
import styles from './operator.module.css'

const route = getRouteApi('/app/operator/organizations/$organization')

export function OperatorOrganizationPage() {
  const { organization } = route.useParams()
  const reading = useOrganizationDetail(organization)
  const [changing, setChanging] = useState<Versioned | null>(null)
  const [asking, setAsking] = useState<Question | null>(null)
  const detail = reading.data
  const known = detail?.value.organization
  const isDeleted = known !== undefined && known.deleted_at !== null
  const mayChange = useMayChange() && !isDeleted
  return (
    <Page
      title={known?.name ?? words.organization}
      sub={
        known !== undefined && (
          <span className="row wrap">
            <Copy value={known.slug} what={words.slug} />
            <BillingTag state={known.billing_state} />
            {known.suspension !== null && <Tag tone="bad">{suspension.tag}</Tag>}
          </span>
        )
      }
      crumb={
        <Link className="crumb" to="/operator/organizations">
          <ChevronLeft size={14} aria-hidden /> {words.back}
        </Link>
      }
      actions={
        mayChange &&
        detail !== undefined && (
          <>
            <Button onClick={() => setAsking('delete')}>{deletion.organizationDelete}</Button>
            <Button look="primary" onClick={() => setChanging(detail)}>
              {words.change}
            </Button>
          </>
        )
      }
    >
      <Loaded reading={reading} what={words.organization}>
        {({ value }) => (
          <div className={styles.stacked}>
            {isDeleted ? <p className="strip">{deletion.deleted}</p> : <Support detail={value} />}
            <SuspensionStrip organization={value.organization} />
            {value.sso_only && <SsoOnly organization={value.organization} />}
            <div className={`grid ${styles.halves}`}>
              <Standing
                detail={value}
                onCredit={mayChange ? () => setAsking('credit') : undefined}
              />
              <Limits detail={value} />
            </div>
            {!isDeleted && <UsageCard organization={value.organization.id} />}
            <TransfersCard organization={value.organization.id} balance={value.balance.balance} />
            {(mayChange || value.support_access_ends_at !== null) && (
              <MembersCard detail={value} isDeleted={isDeleted} />
            )}
            {mayChange && <Suspend detail={value} onAsk={() => setAsking('suspend')} />}
          </div>
        )}
      </Loaded>
      {detail !== undefined && (
        <Asked asking={asking} detail={detail.value} onClose={() => setAsking(null)} />
      )}
      {changing !== null && (
        <ChangeOrganization detail={changing} onClose={() => setChanging(null)} />
      )}
    </Page>
  )
}

type Question = 'delete' | 'suspend' | 'credit'

type SuspendProps = { readonly detail: OrganizationDetail; readonly onAsk: () => void }

function Suspend({ detail, onAsk }: SuspendProps) {
  if (detail.organization.suspension !== null) return null
  return (
    <p>
      <Button onClick={onAsk}>{suspension.suspend}</Button>
    </p>
  )
}

type AskedProps = {
  readonly asking: Question | null
  readonly detail: OrganizationDetail
  readonly onClose: () => void
}

function Asked({ asking, detail, onClose }: AskedProps) {
  const props = { organization: detail.organization, onClose }
  if (asking === 'delete') return <OperatorDeleteOrganization {...props} />
  if (asking === 'suspend') return <SuspendOrganization {...props} />
  return asking === 'credit' && <SetCreditLimit detail={detail} onClose={onClose} />
}

/** Support reads an organization only while an owner allows it. */
function Support({ detail }: { readonly detail: OrganizationDetail }) {
  const until = detail.support_access_ends_at
  return (
    <div className={until === null ? 'strip' : 'strip accent'}>
      <LifeBuoy size={16} aria-hidden />
      <span className="grow">
        {until === null ? words.noSupport : words.supportUntil(formatInstant(until))}
      </span>
      {until !== null && (
        <Link className="btn sm" to="/o/$slug" params={{ slug: detail.organization.slug }}>
          {words.open}
        </Link>
      )}
    </div>
  )
}

type StandingProps = {
  readonly detail: OrganizationDetail
  readonly onCredit: (() => void) | undefined
}

function Standing({ detail, onCredit }: StandingProps) {
  const { organization, balance, billing, keys } = detail
  const lines: readonly Line[] = [
    [words.plan, organization.plan],
    [words.billing, billing === null ? UNKNOWN : billingName(billing)],
    [words.balance, formatMoney(balance.balance)],
    [words.granted, formatMoney(balance.granted)],
    [words.spent, formatMoney(balance.spent)],
    ...(hasCredit(detail) ? [[creditLimit.line, describeCredit(detail)] as const] : []),
    [words.keys, keys.more ? words.keysMore(formatCount(keys.count)) : formatCount(keys.count)],
    [words.retention, words.retentions[organization.retention]],
    [words.created, <Instant key="created" time={organization.created_at} />],
  ]
  return (
    <LinesCard
      title={words.standing}
      lines={lines}
      end={
        onCredit !== undefined &&
        hasCredit(detail) && (
          <Button size="sm" onClick={onCredit}>
            {creditLimit.set}
          </Button>
        )
      }
    />
  )
}

function billingName(billing: string): string {
  return words.billings[billing as keyof typeof words.billings] ?? billing
}

const COLUMNS = [
  { name: words.limit },
  { name: words.amount, numeric: true },
  { name: words.source },
]

function Limits({ detail }: { readonly detail: OrganizationDetail }) {
  const limits = detail.limits_in_force
  return (
    <Card title={words.limits}>
      {limits === null ? (
        <p className="card-body warn">{words.notOffered}</p>
      ) : (
        <Table caption={words.limitsCaption} className="dense" columns={COLUMNS}>
          {limits.map(({ name, limit, source }) => (
            <tr key={name}>
              <th scope="row">{words.limitNames[name]}</th>
              <td className="num">{formatCount(limit)}</td>
              <td>
                {source === 'override' ? (
                  <Tag tone="accent">{words.sources.override}</Tag>
                ) : (
                  <span className="ink-3">{words.sources.plan}</span>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
