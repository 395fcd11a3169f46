import { createRoute } from '@tanstack/react-router'
import { readAuditSearch } from '../pages/audit/search.ts'
import { readBillingSearch } from '../pages/billing/search.ts'
import { readKeysSearch } from '../pages/keys/search.ts'
import { readMembersSearch } from '../pages/members/search.ts'
import { readProjectsSearch } from '../pages/projects/search.ts'
import { readModelsSearch } from '../pages/models/search.ts'
import { readPlaygroundSearch } from '../pages/playground/search.ts'
import { readRequestsSearch } from '../pages/requests/search.ts'
import { readUsageSearch } from '../pages/usage/search.ts'
import { OrganizationGate } from '../shell/gate.tsx'
import { lazyPage } from '../shell/lazy-page.ts'
import { app } from './root.ts'

const organization = createRoute({
  getParentRoute: () => app,
  path: '/o/$slug',
  component: OrganizationGate,
})

const orgOverview = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyPage(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})

const orgKeys = createRoute({
  getParentRoute: () => organization,
  path: 'keys',
  validateSearch: readKeysSearch,
  component: lazyPage(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
})

const orgKey = createRoute({
  getParentRoute: () => organization,
  path: 'keys/$key',
  component: lazyPage(() => import('../pages/keys/key-page.tsx'), 'KeyPage'),
})

const orgPlayground = createRoute({
  getParentRoute: () => organization,
  path: 'playground',
  validateSearch: readPlaygroundSearch,
  component: lazyPage(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})

const orgUsage = createRoute({
  getParentRoute: () => organization,
  path: 'usage',
  validateSearch: readUsageSearch,
  component: lazyPage(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
})

const orgRequests = createRoute({
  getParentRoute: () => organization,
  path: 'requests',
  validateSearch: readRequestsSearch,
  component: lazyPage(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
})

const orgRequest = createRoute({
  getParentRoute: () => organization,
  path: 'requests/$request',
  component: lazyPage(() => import('../pages/requests/request-page.tsx'), 'RequestPage'),
})

const orgLimits = createRoute({
  getParentRoute: () => organization,
  path: 'limits',
  component: lazyPage(() => import('../pages/limits/limits-page.tsx'), 'LimitsPage'),
})

const orgModels = createRoute({
  getParentRoute: () => organization,
  path: 'models',
  validateSearch: readModelsSearch,
  component: lazyPage(() => import('../pages/models/models-page.tsx'), 'ModelsPage'),
})

const orgBilling = createRoute({
  getParentRoute: () => organization,
  path: 'billing',
  validateSearch: readBillingSearch,
  component: lazyPage(() => import('../pages/billing/billing-page.tsx'), 'BillingPage'),
})

const orgProjects = createRoute({
  getParentRoute: () => organization,
  path: 'projects',
  validateSearch: readProjectsSearch,
  component: lazyPage(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
})

const orgProject = createRoute({
  getParentRoute: () => organization,
  path: 'projects/$project',
  component: lazyPage(() => import('../pages/projects/project-page.tsx'), 'ProjectPage'),
})

const orgMembers = createRoute({
  getParentRoute: () => organization,
  path: 'members',
  validateSearch: readMembersSearch,
  component: lazyPage(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
})

const orgAudit = createRoute({
  getParentRoute: () => organization,
  path: 'audit',
  validateSearch: readAuditSearch,
  component: lazyPage(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
})

const settings = createRoute({
  getParentRoute: () => organization,
  path: 'settings',
  component: lazyPage(() => import('../pages/settings/settings-frame.tsx'), 'SettingsFrame'),
})

const settingsGeneral = createRoute({
  getParentRoute: () => settings,
  path: 'general',
  component: lazyPage(() => import('../pages/settings/general-page.tsx'), 'GeneralPage'),
})

const settingsRetention = createRoute({
  getParentRoute: () => settings,
  path: 'retention',
  component: lazyPage(() => import('../pages/settings/retention-page.tsx'), 'RetentionPage'),
})

const settingsSignIn = createRoute({
  getParentRoute: () => settings,
  path: 'sign-in',
  component: lazyPage(() => import('../pages/settings/sign-in-page.tsx'), 'SignInRulesPage'),
})

const settingsManagementKeys = createRoute({
  getParentRoute: () => settings,
  path: 'management-keys',
  component: lazyPage(
    () => import('../pages/settings/management-keys-page.tsx'),
    'ManagementKeysPage',
  ),
})

const settingsSupport = createRoute({
  getParentRoute: () => settings,
  path: 'support',
  component: lazyPage(() => import('../pages/settings/support-page.tsx'), 'SupportPage'),
})

export const organizationRoutes = organization.addChildren([
  orgOverview,
  orgKeys,
  orgKey,
  orgPlayground,
  orgUsage,
  orgRequests,
  orgRequest,
  orgLimits,
  orgModels,
  orgBilling,
  orgProjects,
  orgProject,
  orgMembers,
  orgAudit,
  settings.addChildren([
    settingsGeneral,
    settingsRetention,
    settingsSignIn,
    settingsManagementKeys,
    settingsSupport,
  ]),
])
