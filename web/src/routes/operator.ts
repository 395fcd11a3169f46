import { createRoute } from '@tanstack/react-router'
import {
  readAccountsSearch,
  readLedgerSearch,
  readOperatorAuditSearch,
  readOperatorRequestSearch,
  readOrganizationFilter,
  readOrganizationsSearch,
} from '../pages/operator/search.ts'
import { OperatorGate } from '../shell/gate.tsx'
import { lazyPage } from '../shell/lazy-page.ts'
import { app } from './root.ts'

const operator = createRoute({
  getParentRoute: () => app,
  path: '/operator',
  component: OperatorGate,
})

const operatorOverview = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: lazyPage(() => import('../pages/operator/overview-page.tsx'), 'OperatorOverviewPage'),
})

const operatorWaiting = createRoute({
  getParentRoute: () => operator,
  path: 'waiting',
  component: lazyPage(() => import('../pages/operator/waiting-page.tsx'), 'WaitingListPage'),
})

const operatorAccounts = createRoute({
  getParentRoute: () => operator,
  path: 'accounts',
  validateSearch: readAccountsSearch,
  component: lazyPage(() => import('../pages/operator/accounts-page.tsx'), 'AccountsPage'),
})

const operatorAccount = createRoute({
  getParentRoute: () => operator,
  path: 'accounts/$account',
  component: lazyPage(() => import('../pages/operator/account-page.tsx'), 'AccountPage'),
})

const operatorOrganizations = createRoute({
  getParentRoute: () => operator,
  path: 'organizations',
  validateSearch: readOrganizationsSearch,
  component: lazyPage(
    () => import('../pages/operator/organizations-page.tsx'),
    'OperatorOrganizationsPage',
  ),
})

const operatorOrganization = createRoute({
  getParentRoute: () => operator,
  path: 'organizations/$organization',
  component: lazyPage(
    () => import('../pages/operator/organization-page.tsx'),
    'OperatorOrganizationPage',
  ),
})

const operatorRequest = createRoute({
  getParentRoute: () => operator,
  path: 'requests/$request',
  validateSearch: readOperatorRequestSearch,
  component: lazyPage(() => import('../pages/operator/request-page.tsx'), 'OperatorRequestPage'),
})

const operatorEngines = createRoute({
  getParentRoute: () => operator,
  path: 'engines',
  component: lazyPage(() => import('../pages/operator/engines/engines-page.tsx'), 'EnginesPage'),
})

const operatorPlans = createRoute({
  getParentRoute: () => operator,
  path: 'plans',
  component: lazyPage(() => import('../pages/operator/plans-page.tsx'), 'PlansPage'),
})

const operatorConfiguration = createRoute({
  getParentRoute: () => operator,
  path: 'configuration',
  component: lazyPage(
    () => import('../pages/operator/configuration-page.tsx'),
    'ConfigurationPage',
  ),
})

const operatorLedger = createRoute({
  getParentRoute: () => operator,
  path: 'ledger',
  validateSearch: readLedgerSearch,
  component: lazyPage(() => import('../pages/operator/ledger-page.tsx'), 'LedgerPage'),
})

const operatorPayments = createRoute({
  getParentRoute: () => operator,
  path: 'payments',
  validateSearch: readOrganizationFilter,
  component: lazyPage(
    () => import('../pages/operator/payments/payments-page.tsx'),
    'OperatorPaymentsPage',
  ),
})

const operatorPayment = createRoute({
  getParentRoute: () => operator,
  path: 'payments/$payment',
  component: lazyPage(
    () => import('../pages/operator/payments/payment-page.tsx'),
    'OperatorPaymentPage',
  ),
})

const operatorVouchers = createRoute({
  getParentRoute: () => operator,
  path: 'vouchers',
  component: lazyPage(() => import('../pages/operator/vouchers/vouchers-page.tsx'), 'VouchersPage'),
})

const operatorAudit = createRoute({
  getParentRoute: () => operator,
  path: 'audit',
  validateSearch: readOperatorAuditSearch,
  component: lazyPage(() => import('../pages/operator/audit-page.tsx'), 'OperatorAuditPage'),
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
  operatorPayments,
  operatorPayment,
  operatorVouchers,
  operatorLedger,
  operatorAudit,
])
