import { useApi } from '../../api/use-api.ts'
import { useList, type List } from '../../api/use-list.ts'
import type { Key, Usage } from '../../api/routes.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { sortingOf } from '../../shell/search.ts'
import { isShown } from './key-state.ts'
import type { readKeysSearch } from './search.ts'

export type KeysSearch = ReturnType<typeof readKeysSearch>

const PAGE = 50
/** The health line is about this many keys, the newest. */
const HEALTH_KEYS = 100

/** The working keys that the health line counts. */
export function useHealth() {
  const { path } = useOrganization()
  return useApi('GET /organizations/{organization}/keys', {
    path,
    query: { state: 'active', limit: HEALTH_KEYS },
  })
}

/** The keys that the address asks for. */
export function useKeys(search: KeysSearch, now: number): List<Key> {
  const { path } = useOrganization()
  const { q, project, owner, show } = search
  const filters = {
    limit: show === undefined ? PAGE : HEALTH_KEYS,
    ...(search.state === undefined && { state: 'active' as const }),
    ...(project !== undefined && { project }),
    ...(owner !== undefined && { owner }),
    ...(q !== undefined && { q }),
    ...sortingOf(search),
  }
  const list = useList('GET /organizations/{organization}/keys', { path, query: filters })
  return show === undefined
    ? list
    : { ...list, items: list.items?.filter((key) => isShown(key, show, now)), total: null }
}

export type KeyCosts = {
  readonly currency: string
  /** By id of the key, in micro-units. */
  readonly costs: ReadonlyMap<string, number>
  readonly playground: number
  readonly total: number
}

/** What each key used in the last 30 days, in UTC days that include today. */
export function useKeyCosts(): KeyCosts | undefined {
  const { path, may } = useOrganization()
  const usage = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { by: ['key'] } },
    { enabled: may('usage:read') },
  ).data
  return usage === undefined ? undefined : sumCosts(usage)
}

function sumCosts({ data }: Usage): KeyCosts {
  const costs = new Map<string, number>()
  let playground = 0
  for (const { key, cost } of data)
    if (key?.kind === 'playground') playground += cost.amount_micro
    else if (key !== undefined) costs.set(key.id, cost.amount_micro)
  const total = data.reduce((sum, { cost }) => sum + cost.amount_micro, 0)
  return { currency: data[0]?.cost.currency ?? '', costs, playground, total }
}
