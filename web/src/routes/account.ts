import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from '../shell/lazy-page.ts'
import { app } from './root.ts'

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazyPage(() => import('../pages/account/account-frame.tsx'), 'AccountFrame'),
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
  component: lazyPage(() => import('../pages/account/profile-page.tsx'), 'ProfilePage'),
})

const accountSecurity = createRoute({
  getParentRoute: () => account,
  path: 'security',
  component: lazyPage(() => import('../pages/account/security-page.tsx'), 'SecurityPage'),
})

const accountSessions = createRoute({
  getParentRoute: () => account,
  path: 'sessions',
  component: lazyPage(() => import('../pages/account/sessions-page.tsx'), 'SessionsPage'),
})

const accountOrganizations = createRoute({
  getParentRoute: () => account,
  path: 'organizations',
  component: lazyPage(() => import('../pages/account/organizations-page.tsx'), 'OrganizationsPage'),
})

export const accountRoutes = account.addChildren([
  accountHome,
  accountProfile,
  accountSecurity,
  accountSessions,
  accountOrganizations,
])
