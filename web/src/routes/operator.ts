import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import {
  readAccountsSearch,
  readBooksSearch,
  readOperatorAuditSearch,
  readOperatorRequestSearch,
  readOrganizationsSearch,
} from '../pages/operator/search.ts'
import { app } from './root.ts'

const operator = createRoute({ getParentRoute: () => app, path: '/operator' })

const operatorOverview = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: lazyRouteComponent(
    () => import('../pages/operator/overview-page.tsx'),
    'OperatorOverviewPage',
  ),
})

const operatorWaiting = createRoute({
  getParentRoute: () => operator,
  path: 'waiting',
  component: lazyRouteComponent(
    () => import('../pages/operator/waiting-page.tsx'),
    'WaitingListPage',
  ),
})

const operatorAccounts = createRoute({
  getParentRoute: () => operator,
  path: 'accounts',
  validateSearch: readAccountsSearch,
  component: lazyRouteComponent(
    () => import('../pages/operator/accounts-page.tsx'),
    'AccountsPage',
  ),
})

const operatorAccount = createRoute({
  getParentRoute: () => operator,
  path: 'accounts/$account',
  component: lazyRouteComponent(() => import('../pages/operator/account-page.tsx'), 'AccountPage'),
})

const operatorOrganizations = createRoute({
  getParentRoute: () => operator,
  path: 'organizations',
  validateSearch: readOrganizationsSearch,
  component: lazyRouteComponent(
    () => import('../pages/operator/organizations-page.tsx'),
    'OperatorOrganizationsPage',
  ),
})

const operatorOrganization = createRoute({
  getParentRoute: () => operator,
  path: 'organizations/$organization',
  component: lazyRouteComponent(
    () => import('../pages/operator/organization-page.tsx'),
    'OperatorOrganizationPage',
  ),
})

const operatorRequest = createRoute({
  getParentRoute: () => operator,
  path: 'requests/$request',
  validateSearch: readOperatorRequestSearch,
  component: lazyRouteComponent(
    () => import('../pages/operator/request-page.tsx'),
    'OperatorRequestPage',
  ),
})

const operatorEngines = createRoute({
  getParentRoute: () => operator,
  path: 'engines',
  component: lazyRouteComponent(
    () => import('../pages/operator/engines/engines-page.tsx'),
    'EnginesPage',
  ),
})

const operatorPlans = createRoute({
  getParentRoute: () => operator,
  path: 'plans',
  component: lazyRouteComponent(() => import('../pages/operator/plans-page.tsx'), 'PlansPage'),
})

const operatorConfiguration = createRoute({
  getParentRoute: () => operator,
  path: 'configuration',
  component: lazyRouteComponent(
    () => import('../pages/operator/configuration-page.tsx'),
    'ConfigurationPage',
  ),
})

const operatorBooks = createRoute({
  getParentRoute: () => operator,
  path: 'books',
  validateSearch: readBooksSearch,
  component: lazyRouteComponent(() => import('../pages/operator/books-page.tsx'), 'BooksPage'),
})

const operatorAudit = createRoute({
  getParentRoute: () => operator,
  path: 'audit',
  validateSearch: readOperatorAuditSearch,
  component: lazyRouteComponent(
    () => import('../pages/operator/audit-page.tsx'),
    'OperatorAuditPage',
  ),
})

export const operatorRoutes = operator.addChildren([
  operatorOverview,
  operatorWaiting,
  operatorAccounts,
  operatorAccount,
  operatorOrganizations,
  operatorOrganization,
  operatorRequest,
  operatorEngines,
  operatorPlans,
  operatorConfiguration,
  operatorBooks,
  operatorAudit,
])
