import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Filter, type FilterOption } from '../../parts/filter.tsx'
import { PERIOD_OPTIONS, type Period } from '../../parts/use-period.ts'
import type { SearchChange } from '../../shell/search.ts'
import { audit as words } from '../../words/audit.ts'
import { period as periodWords } from '../../words/periods.ts'
import { ACTOR_KINDS, type ActorKind, type AuditSearch } from './search.ts'

const KINDS = ACTOR_KINDS.map((value) => ({ value, label: words.kinds[value] }))

type Props = {
  readonly search: AuditSearch
  readonly actions: readonly FilterOption[]
  /** Who can be chosen as the actor. Without them, an actor is chosen in the list only. */
  readonly people?: readonly FilterOption[]
  readonly onChange: (search: SearchChange<AuditSearch>) => void
  /** Filters that come first. */
  readonly children?: ReactNode
}

/** Filters run in the database; each is part of the address. */
export function AuditFilters({ search, actions, people, onChange, children }: Props) {
  const set = (change: SearchChange<AuditSearch>) =>
    onChange({ ...search, event: undefined, ...change })
  const hasAny = Object.keys(search).some((name) => name !== 'event')
  return (
    <div className="filters">
      {children}
      {people !== undefined && (
        <Filter
          label={words.filters.actor}
          anyLabel={words.anyone}
          options={people}
          chosen={search.actor}
          onChoose={(actor) => set({ actor })}
        />
      )}
      <Filter
        label={words.filters.action}
        anyLabel={words.anything}
        options={actions}
        chosen={search.action}
        onChoose={(action) => set({ action })}
      />
      <Filter
        label={periodWords.name}
        anyLabel={periodWords.any}
        options={PERIOD_OPTIONS}
        chosen={search.period}
        onChoose={(period) => set({ period: period as Period | undefined })}
      />
      <Filter
        label={words.filters.via}
        anyLabel={words.anywhere}
        options={KINDS}
        chosen={search.via}
        onChoose={(via) => set({ via: via as ActorKind | undefined })}
      />
      <Filter
        label={words.filters.playground}
        anyLabel={words.leftOut}
        options={[{ value: 'shown', label: words.shown }]}
        chosen={search.playground}
        onChoose={(shown) => set({ playground: shown === undefined ? undefined : 'shown' })}
      />
      {people === undefined && search.actor !== undefined && (
        <Chosen
          name={words.filters.actor}
          value={search.actor}
          onRemove={() => set({ actor: undefined })}
        />
      )}
      {search.target !== undefined && (
        <Chosen
          name={words.filters.target}
          value={search.target}
          onRemove={() => set({ target: undefined })}
        />
      )}
      {hasAny && (
        <button type="button" className="quiet-link" onClick={() => onChange({})}>
          {words.reset}
        </button>
      )}
    </div>
  )
}

/** A filter that was chosen in the list, and is only removed here. */
function Chosen({
  name,
  value,
  onRemove,
}: {
  readonly name: string
  readonly value: string
  readonly onRemove: () => void
}) {
  return (
    <button
      type="button"
      className="chip set"
      aria-label={words.removeFilter(name)}
      onClick={onRemove}
    >
      {name} <b className="mono">{value}</b> <X size={14} aria-hidden />
    </button>
  )
}
