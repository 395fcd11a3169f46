import type { LinkProps } from '@tanstack/react-router'
import { User, type LucideIcon } from 'lucide-react'
import { HAS_PAYMENTS } from '../api/place.ts'
import { account } from '../words/account.ts'
import { operatorPages } from '../words/operator-pages.ts'
import { settings } from '../words/settings.ts'
import { shell } from '../words/shell.ts'
import { icons } from './icons.ts'
import { operatorIcons } from './operator-icons.ts'

/** A page to go to: its route, its name, its icon, and the page that it is a part of. */
export type Place = readonly [
  to: NonNullable<LinkProps['to']>,
  label: string,
  icon: LucideIcon,
  partOf?: string,
]

const { pages } = shell
const { tabs } = settings

export const OF_ORGANIZATION: readonly Place[] = [
  ['/o/$slug', pages.overview, icons.overview],
  ['/o/$slug/keys', pages.keys, icons.keys],
  ['/o/$slug/playground', pages.playground, icons.playground],
  ['/o/$slug/usage', pages.usage, icons.usage],
  ['/o/$slug/requests', pages.requests, icons.requests],
  ['/o/$slug/limits', pages.limits, icons.limits],
  ['/o/$slug/models', pages.models, icons.models],
  ['/o/$slug/billing', pages.billing, icons.billing],
  ['/o/$slug/projects', pages.projects, icons.projects],
  ['/o/$slug/members', pages.members, icons.members],
  ['/o/$slug/audit', pages.audit, icons.audit],
  ['/o/$slug/settings/general', pages.settings, icons.settings],
]

/** Found by what is typed, and not listed before: the pages above are enough to begin with. */
export const OF_SETTINGS: readonly Place[] = [
  ['/o/$slug/settings/retention', tabs.retention, icons.settings, pages.settings],
  ['/o/$slug/settings/sign-in', tabs.signIn, icons.settings, pages.settings],
  ['/o/$slug/settings/management-keys', tabs.managementKeys, icons.settings, pages.settings],
  ['/o/$slug/settings/support', tabs.support, icons.settings, pages.settings],
]

export const OF_ACCOUNT: readonly Place[] = [
  ['/account/profile', account.tabs.profile, User, shell.account],
  ['/account/security', account.tabs.security, User, shell.account],
  ['/account/sessions', account.tabs.sessions, User, shell.account],
  ['/account/organizations', account.tabs.organizations, User, shell.account],
]

const PAYMENTS: Place = ['/operator/payments', operatorPages.payments, operatorIcons.payments]

export const OF_OPERATOR: readonly Place[] = [
  ['/operator', operatorPages.overview, icons.overview],
  ['/operator/waiting', operatorPages.waiting, operatorIcons.waiting],
  ['/operator/accounts', operatorPages.accounts, icons.members],
  ['/operator/organizations', operatorPages.organizations, operatorIcons.organizations],
  ['/operator/engines', operatorPages.engines, operatorIcons.engines],
  ['/operator/plans', operatorPages.plans, icons.models],
  ['/operator/configuration', operatorPages.configuration, icons.settings],
  ...(HAS_PAYMENTS ? [PAYMENTS] : []),
  ['/operator/vouchers', operatorPages.vouchers, operatorIcons.vouchers],
  ['/operator/ledger', operatorPages.ledger, operatorIcons.ledger],
  ['/operator/audit', operatorPages.audit, icons.audit],
]
