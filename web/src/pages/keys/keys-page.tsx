import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight, KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Key } from '../../api/routes.ts'
import { formatCount } from '../../format/number.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Order } from '../../parts/sort-column.tsx'
import { ListTable } from '../../parts/table.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { present } from '../../shell/search.ts'
import { keys as words } from '../../words/keys.ts'
import { CreateKey } from './create-key.tsx'
import { keyColumns, KeyRow } from './key-row.tsx'
import { isUnused, stateOf } from './key-state.ts'
import { KeyFilters } from './keys-filters.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { sayCosts } from './say-costs.ts'
import type { Shown } from './search.ts'
import { useHealth, useKeyCosts, useKeys, type KeyCosts, type KeysSearch } from './use-keys.ts'
import { usePeople } from './use-people.ts'
import styles from './keys.module.css'

const route = getRouteApi('/app/o/$slug/keys')

export type Act = { readonly does: 'rotate' | 'revoke'; readonly key: Key }

export function KeysPage() {
  const { may, slug } = useOrganization()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [act, setAct] = useState<Act | null>(null)
  const mayWrite = may('keys:write')
  const openCreate = (create: '1' | undefined) =>
    void navigate({ search: (before) => present({ ...before, create }) })
  return (
    <Page
      title={words.title}
      sub={<Health />}
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => openCreate('1')}>
            <Plus size={16} aria-hidden /> {words.create}
          </Button>
        )
      }
    >
      <KeyFilters />
      <Keys search={search} onAct={setAct} onCreate={() => openCreate('1')} />
      {mayWrite && search.create !== undefined && (
        <CreateKey
          onClose={(isCreated) => {
            if (isCreated && search.create === 'first')
              void navigate({ to: '/o/$slug', params: { slug } })
            else openCreate(undefined)
          }}
        />
      )}
      {act?.does === 'rotate' && <RotateKey stored={act.key} onClose={() => setAct(null)} />}
      {act?.does === 'revoke' && <RevokeKey stored={act.key} onClose={() => setAct(null)} />}
    </Page>
  )
}

function Keys({
  search,
  onAct,
  onCreate,
}: {
  readonly search: KeysSearch
  readonly onAct: (act: Act) => void
  readonly onCreate: () => void
}) {
  const { may } = useOrganization()
  const now = useNow()
  const list = useKeys(search, now)
  const costs = useKeyCosts()
  const people = usePeople()
  const { create: _, sort, order, ...filters } = search
  const navigate = route.useNavigate()
  const onSort = (by: NonNullable<typeof sort>, direction: Order) =>
    void navigate({
      search: (before) => present({ ...before, sort: by, order: direction }),
      replace: true,
    })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <section className="card" aria-label={words.title}>
      <ListTable
        caption={words.title}
        what={words.title}
        className={styles.keys}
        columns={keyColumns(costs?.currency, { sort, order, onSort })}
        list={list}
        row={(key) => (
          <KeyRow key={key.id} stored={key} costs={costs} people={people} now={now} onAct={onAct} />
        )}
        empty={
          isFiltered ? (
            <NothingFound />
          ) : (
            <Empty
              icon={<KeyRound size={20} aria-hidden />}
              title={words.emptyTitle}
              action={may('keys:write') && <Button onClick={onCreate}>{words.createFirst}</Button>}
            >
              {words.createText}
            </Empty>
          )
        }
      />
      {costs !== undefined && list.items !== undefined && list.items.length > 0 && (
        <CostsFoot costs={costs} items={list.items} isWhole={!isFiltered && !list.hasMore} />
      )}
    </section>
  )
}

function NothingFound() {
  return (
    <Empty
      title={words.nothingFound}
      action={
        <Link className="btn" from="/o/$slug/keys" to="." search={{}}>
          {words.clearFilters}
        </Link>
      }
    >
      {words.nothingFoundText}
    </Empty>
  )
}

/** "6 keys work · 2 never end": what a person would want to look at, as links. */
function Health() {
  const now = useNow()
  const page = useHealth().data
  if (page === undefined || page.data.length === 0) return null
  const working = page.data
  const more = page.next !== null
  const counts: readonly [Shown, number, (count: number) => string][] = [
    ['never-ends', working.filter((key) => key.expires_at === null).length, words.neverEnd],
    ['unused', working.filter((key) => isUnused(key, now)).length, words.unused],
    ['ending', working.filter((key) => stateOf(key, now) === 'ending').length, words.ending],
  ]
  return (
    <div className={styles.health}>
      <span>
        {more ? words.newestOnly(formatCount(working.length)) : words.work(working.length)}
      </span>
      {counts
        .filter(([, count]) => count > 0)
        .map(([show, count, say]) => (
          <span key={show} className="row">
            <i aria-hidden />
            <Link
              from="/o/$slug/keys"
              to="."
              search={{ show }}
              className={show === 'ending' ? 'warn' : undefined}
            >
              {say(count)}
            </Link>
          </span>
        ))}
    </div>
  )
}

/** The rows and what is not in them add up to what usage says. */
function CostsFoot({
  costs,
  items,
  isWhole,
}: {
  readonly costs: KeyCosts
  readonly items: readonly Key[]
  /** All working keys are rows. */
  readonly isWhole: boolean
}) {
  const { slug } = useOrganization()
  const { total, playground, currency } = costs
  if (currency === '') return null
  const these = items.reduce((sum, { id }) => sum + (costs.costs.get(id) ?? 0), 0)
  const rest = total - these - playground
  return (
    <div className="card-foot">
      <span className="num">{sayCosts({ these, rest, playground, currency, isWhole })}</span>
      <Link
        className="quiet-link push nowrap"
        to="/o/$slug/usage"
        params={{ slug }}
        search={{ by: 'key' }}
      >
        {words.usageByKey}
        <ChevronRight size={14} aria-hidden />
      </Link>
    </div>
  )
}
