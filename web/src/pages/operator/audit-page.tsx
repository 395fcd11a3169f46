import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { addressOf } from '../../api/call.ts'
import type { PlatformAuditEvent } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { SearchField } from '../../parts/filter.tsx'
import { Name } from '../../parts/name.tsx'
import { Page } from '../../parts/page.tsx'
import { usePeriodStart } from '../../parts/use-period.ts'
import { present, type SearchChange } from '../../shell/search.ts'
import { OPERATOR_ACTIONS, operatorActionName } from '../../words/operator-action-names.ts'
import { operator } from '../../words/operator.ts'
import { AuditFilters } from '../audit/audit-filters.tsx'
import { EventLog, ExportLinks, missingEvent } from '../audit/event-log.tsx'
import { filtersOf } from '../audit/search.ts'
import { useMayChange } from './platform-role.ts'
import { readOperatorAuditSearch, type OperatorAuditSearch } from './search.ts'

const words = operator.audit
const EVENTS = 'GET /operator/audit-events'
const PAGE = 50
const route = getRouteApi('/app/operator/audit')

export function OperatorAuditPage() {
  const search = route.useSearch()
  const { organization, period, event } = search
  const isOperator = useMayChange()
  const from = usePeriodStart(period)
  const query = present({ organization, ...filtersOf(search), from })
  const list = useList(EVENTS, { query: { ...query, limit: PAGE } })
  const missing = missingEvent(list, event)
  const linked = useApi(EVENTS, { query: { ...missing } }, { enabled: missing !== undefined })
  const navigate = route.useNavigate()
  const go = (change: SearchChange<OperatorAuditSearch>) =>
    void navigate({ search: present(change), replace: true, resetScroll: false })
  const onOrganization = useCallback(
    (text: string | undefined) =>
      void navigate({
        search: (before) =>
          readOperatorAuditSearch({ ...before, organization: text, event: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return (
    <Page
      title={words.title}
      sub={isOperator ? words.sub : words.supportSub}
      actions={
        isOperator && (
          <ExportLinks
            address={(format) => addressOf(`${EVENTS}/export`, { query: { ...query, format } })}
          />
        )
      }
    >
      <AuditFilters search={search} actions={OPERATOR_ACTIONS} onChange={go}>
        <SearchField label={words.organization} value={organization} onSearch={onOrganization} />
      </AuditFilters>
      <EventLog
        list={list}
        linked={linked}
        search={search}
        onChange={go}
        nameOf={operatorActionName}
        more={(each) => <Places event={each} />}
      />
    </Page>
  )
}

/** The pages of the organization and of the account that an event names. */
function Places({ event }: { readonly event: PlatformAuditEvent }) {
  const { organization_id: organization, target } = event
  return (
    <>
      {organization !== null && (
        <>
          <dt>{words.inOrganization}</dt>
          <dd>
            <Link
              className="quiet-link"
              to="/operator/organizations/$organization"
              params={{ organization }}
            >
              {target.kind === 'organization' ? (
                <Name value={target.label ?? target.id} />
              ) : (
                organization
              )}
            </Link>
          </dd>
        </>
      )}
      {target.kind === 'account' && (
        <>
          <dt>{words.account}</dt>
          <dd>
            <Link
              className="quiet-link"
              to="/operator/accounts/$account"
              params={{ account: target.id }}
            >
              <Name value={target.label ?? target.id} />
            </Link>
          </dd>
        </>
      )}
    </>
  )
}
