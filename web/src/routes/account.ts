import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { app } from './root.ts'

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-frame.tsx'), 'AccountFrame'),
})

const accountHome = createRoute({
  getParentRoute: () => account,
  path: '/',
  beforeLoad: () => {
    // oxlint-disable-next-line only-throw-error -- how the router redirects
    throw redirect({ to: '/account/profile', replace: true })
  },
})

const accountProfile = createRoute({
  getParentRoute: () => account,
  path: 'profile',
  component: lazyRouteComponent(() => import('../pages/account/profile-page.tsx'), 'ProfilePage'),
})

const accountSecurity = createRoute({
  getParentRoute: () => account,
  path: 'security',
  component: lazyRouteComponent(() => import('../pages/account/security-page.tsx'), 'SecurityPage'),
})

const accountSessions = createRoute({
  getParentRoute: () => account,
  path: 'sessions',
  component: lazyRouteComponent(() => import('../pages/account/sessions-page.tsx'), 'SessionsPage'),
})

const accountOrganizations = createRoute({
  getParentRoute: () => account,
  path: 'organizations',
  component: lazyRouteComponent(
    () => import('../pages/account/organizations-page.tsx'),
    'OrganizationsPage',
  ),
})

export const accountRoutes = account.addChildren([
  accountHome,
  accountProfile,
  accountSecurity,
  accountSessions,
  accountOrganizations,
])
