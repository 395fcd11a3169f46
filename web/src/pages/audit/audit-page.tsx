import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { addressOf } from '../../api/call.ts'
import { useApi } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { Page } from '../../parts/page.tsx'
import { usePeriodStart } from '../../parts/use-period.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { present, type SearchChange } from '../../shell/search.ts'
import { actionName, ACTIONS } from '../../words/action-names.ts'
import { audit as words } from '../../words/audit.ts'
import { AuditFilters } from './audit-filters.tsx'
import { EventLog, ExportLinks, missingEvent } from './event-log.tsx'
import { filtersOf, type AuditSearch } from './search.ts'

const EVENTS = 'GET /organizations/{organization}/audit-events'
const MEMBERS_READ = 100
const route = getRouteApi('/app/o/$slug/audit')

export function AuditPage() {
  const { path } = useOrganization()
  const search = route.useSearch()
  const { period, event } = search
  const from = usePeriodStart(period)
  const query = present({ ...filtersOf(search), from })
  const list = useList(EVENTS, { path, query })
  const missing = missingEvent(list, event)
  const linked = useApi(EVENTS, { path, query: { ...missing } }, { enabled: missing !== undefined })
  const go = useChangeSearch()
  return (
    <Page
      title={words.title}
      sub={words.sub}
      actions={
        <ExportLinks
          address={(format) => addressOf(`${EVENTS}/export`, { path, query: { ...query, format } })}
        />
      }
    >
      <AuditFilters search={search} actions={ACTIONS} people={usePeople()} onChange={go} />
      <EventLog list={list} linked={linked} search={search} onChange={go} nameOf={actionName} />
    </Page>
  )
}

function useChangeSearch(): (search: SearchChange<AuditSearch>) => void {
  const navigate = useNavigate()
  const { slug } = useOrganization()
  return (search) =>
    void navigate({
      to: '/o/$slug/audit',
      params: { slug },
      search: present(search),
      replace: true,
      resetScroll: false,
    })
}

function usePeople() {
  const { path } = useOrganization()
  const members = useApi('GET /organizations/{organization}/members', {
    path,
    query: { limit: MEMBERS_READ },
  })
  return (members.data?.data ?? []).map(({ id, name, email }) => ({
    value: id,
    label: name ?? email,
  }))
}
