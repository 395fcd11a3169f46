import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { grantOf } from '../../../../src/tenancy/permissions.ts'
import { useApi } from '../../api/use-api.ts'
import { Filter, SearchField } from '../../parts/filter.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { oneOf, present } from '../../shell/search.ts'
import { keys as words } from '../../words/keys.ts'
import { SHOWN } from './search.ts'
import type { KeysSearch } from './use-keys.ts'
import { usePeople } from './use-people.ts'

const route = getRouteApi('/app/o/$slug/keys')
const PROJECTS_OFFERED = 100

/** Search and filters; what is chosen is in the address. */
export function KeyFilters() {
  const { path, role } = useOrganization()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { me, members } = usePeople()
  const projects = useApi('GET /organizations/{organization}/projects', {
    path,
    query: { limit: PROJECTS_OFFERED },
  }).data?.data
  const change = useCallback(
    (name: keyof KeysSearch, value: string | undefined) =>
      void navigate({
        replace: name === 'q',
        search: (before) => present({ ...before, [name]: value }),
      }),
    [navigate],
  )
  const onSearch = useCallback((text: string | undefined) => change('q', text), [change])
  const others = members.filter(({ id }) => id !== me?.id)
  return (
    <div className="filters">
      <SearchField label={words.search} value={search.q} onSearch={onSearch} />
      <Filter
        label={words.state}
        anyLabel={words.working}
        options={[{ value: 'all', label: words.allStates }]}
        chosen={search.state}
        onChoose={(state) => change('state', state)}
      />
      <Filter
        label={words.project}
        options={(projects ?? []).map(({ name }) => ({ value: name, label: name }))}
        chosen={search.project}
        onChoose={(project) => change('project', project)}
      />
      {grantOf('keys:read', role) === 'all' && (
        <Filter
          label={words.owner}
          anyLabel={words.anyone}
          options={[
            { value: 'me', label: words.mine },
            { value: 'organization', label: words.organization },
            ...others.map(({ id, email }) => ({ value: id, label: email })),
          ]}
          chosen={search.owner}
          onChoose={(owner) => change('owner', owner)}
        />
      )}
      {search.show !== undefined && (
        <Filter
          label={words.show}
          options={SHOWN.map((value) => ({ value, label: words.shows[value] }))}
          chosen={search.show}
          onChoose={(show) => change('show', oneOf(show, SHOWN))}
        />
      )}
    </div>
  )
}
