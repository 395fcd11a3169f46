import { Navigate } from '@tanstack/react-router'
import { Loaded } from '../../parts/states.tsx'
import { useOwnOrganizations } from '../../shell/organization.tsx'
import { useMe } from '../../shell/session.ts'
import { operatorPages } from '../../words/operator-pages.ts'

/** `/` leads to the newest organization, or to the operator's pages. */
export function HomePage() {
  const me = useMe().data
  const own = useOwnOrganizations()
  return (
    <Loaded reading={own} what={operatorPages.organizations}>
      {({ data: [newest] }) => {
        if (newest !== undefined)
          return <Navigate to="/o/$slug" params={{ slug: newest.slug }} replace />
        if (me !== undefined && me.platform_role !== null)
          return <Navigate to="/operator" replace />
        return <Navigate to="/account/organizations" replace />
      }}
    </Loaded>
  )
}
