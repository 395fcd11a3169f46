import { Navigate } from '@tanstack/react-router'
import { Loaded } from '../../parts/states.tsx'
import { lastOrganization } from '../../shell/last-used.ts'
import { useOwnOrganizations } from '../../shell/organization.tsx'
import { useMe } from '../../shell/session.ts'
import { operatorPages } from '../../words/operator-pages.ts'

/** `/` leads to the organization that was used last, the newest one, or the operator's pages. */
export function HomePage() {
  const me = useMe().data
  const own = useOwnOrganizations()
  return (
    <Loaded reading={own} what={operatorPages.organizations}>
      {({ data }) => {
        const last = lastOrganization()
        const chosen = data.find(({ slug }) => slug === last) ?? data[0]
        if (chosen !== undefined)
          return <Navigate to="/o/$slug" params={{ slug: chosen.slug }} replace />
        if (me !== undefined && me.platform_role !== null)
          return <Navigate to="/operator" replace />
        return <Navigate to="/account/organizations" replace />
      }}
    </Loaded>
  )
}
