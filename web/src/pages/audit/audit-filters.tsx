import { X } from 'lucide-react'
import { Filter } from '../../parts/filter.tsx'
import { useApi } from '../../api/use-api.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { ACTIONS, audit as words } from '../../words/audit.ts'
import type { AuditSearch } from './audit-page.tsx'
import { ACTOR_KINDS, AUDIT_PERIODS, type ActorKind, type AuditPeriod } from './search.ts'

const MEMBERS_READ = 100
const KINDS = ACTOR_KINDS.map((value) => ({ value, label: words.kinds[value] }))
const PERIODS = AUDIT_PERIODS.map((value) => ({ value, label: words.periods[value] }))

type Props = {
  readonly search: AuditSearch
  readonly onChange: (search: {
    readonly [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined
  }) => void
}

/** Filters run in the database; each is part of the address. */
export function AuditFilters({ search, onChange }: Props) {
  const { path } = useOrganization()
  const members = useApi('GET /organizations/{organization}/members', {
    path,
    query: { limit: MEMBERS_READ },
  })
  const people = (members.data?.data ?? []).map(({ id, name, email }) => ({
    value: id,
    label: name ?? email,
  }))
  const set = (change: Props['search'] | Parameters<Props['onChange']>[0]) =>
    onChange({ ...search, event: undefined, ...change })
  const hasAny = Object.keys(search).some((name) => name !== 'event')
  return (
    <div className="filters">
      <Filter
        label={words.filters.actor}
        anyLabel={words.anyone}
        options={people}
        chosen={search.actor}
        onChoose={(actor) => set({ actor })}
      />
      <Filter
        label={words.filters.action}
        anyLabel={words.anything}
        options={ACTIONS}
        chosen={search.action}
        onChoose={(action) => set({ action })}
      />
      <Filter
        label={words.filters.period}
        anyLabel={words.anyTime}
        options={PERIODS}
        chosen={search.period}
        onChoose={(period) => set({ period: period as AuditPeriod | undefined })}
      />
      <Filter
        label={words.filters.via}
        anyLabel={words.anywhere}
        options={KINDS}
        chosen={search.via}
        onChoose={(via) => set({ via: via as ActorKind | undefined })}
      />
      {search.target !== undefined && (
        <button
          type="button"
          className="chip set"
          aria-label={words.removeFilter(words.filters.target)}
          onClick={() => set({ target: undefined })}
        >
          {words.filters.target} <b className="mono">{search.target}</b> <X size={14} aria-hidden />
        </button>
      )}
      {hasAny && (
        <button type="button" className="quiet-link" onClick={() => onChange({})}>
          {words.reset}
        </button>
      )}
    </div>
  )
}
