import { createRoute } from '@tanstack/react-router'
import { readEntrySearch } from '../pages/entry/search.ts'
import { lazyPage } from '../shell/lazy-page.ts'
import { root } from './root.ts'

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/sign-in-page.tsx'), 'SignInPage'),
})

const signUpRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/sign-up-page.tsx'), 'SignUpPage'),
})

const verifyRoute = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/verify-page.tsx'), 'VerifyPage'),
})

const resetRoute = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/reset-page.tsx'), 'ResetPage'),
})

const joinRoute = createRoute({
  getParentRoute: () => root,
  path: '/join',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/join-page.tsx'), 'JoinPage'),
})

const explainedRoute = createRoute({
  getParentRoute: () => root,
  path: '/explained',
  component: lazyPage(
    () => import('../pages/requests/linked-request-page.tsx'),
    'LinkedRequestPage',
  ),
})

const waitingRoute = createRoute({
  getParentRoute: () => root,
  path: '/waiting',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/waiting-page.tsx'), 'WaitingPage'),
})

const restrictedRoute = createRoute({
  getParentRoute: () => root,
  path: '/restricted',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/restricted-page.tsx'), 'RestrictedPage'),
})

const welcomeRoute = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  validateSearch: readEntrySearch,
  component: lazyPage(() => import('../pages/entry/welcome-page.tsx'), 'WelcomePage'),
})

/** Without a session, or with one that may do nothing else yet. */
export const entryRoutes = [
  signInRoute,
  signUpRoute,
  verifyRoute,
  resetRoute,
  joinRoute,
  explainedRoute,
  waitingRoute,
  restrictedRoute,
  welcomeRoute,
] as const
