// Every page of the web app, for proofs that visit all of them.

/** Who sees a page: the browser has no session, or one of such a person. */
export type Visitor = 'nobody' | 'waiting' | 'restricted' | 'unregistered' | 'owner' | 'operator'

export type PageRow = {
  /** With the names of `Places` in braces. */
  readonly path: string
  readonly as: Visitor
}

/** What the paths name. */
export type Places = {
  readonly slug: string
  readonly key: string
  readonly project: string
  readonly request: string
  readonly account: string
}

const ORGANIZATION_PAGES = [
  '',
  '/keys',
  '/keys/{key}',
  '/playground',
  '/usage',
  '/requests',
  '/requests/{request}',
  '/limits',
  '/models',
  '/billing',
  '/projects',
  '/projects/{project}',
  '/members',
  '/audit',
  '/settings/general',
  '/settings/retention',
  '/settings/sign-in',
  '/settings/management-keys',
  '/settings/support',
]

const OPERATOR_PAGES = [
  '',
  '/waiting',
  '/accounts',
  '/accounts/{account}',
  '/organizations',
  '/organizations/{slug}',
  '/requests/{request}',
  '/engines',
  '/plans',
  '/configuration',
  '/vouchers',
  '/ledger',
  '/audit',
]

/** What the paths of `PAYMENT_PAGES` name: an organization that pays, and two of its payments. */
export type PaymentPlaces = {
  readonly paying: string
  /** It pays afterwards, and has an invoice that is overdue. */
  readonly owing: string
  readonly payment: string
  /** The provider contradicts it. */
  readonly contradicted: string
}

/** Only where payments are set up, or with more on them there. */
export const PAYMENT_PAGES: readonly PageRow[] = [
  ...rows('owner', ['/o/{paying}', '/o/{paying}/billing', '/o/{paying}/audit']),
  ...rows('owner', ['/o/{owing}/billing']),
  ...rows('operator', [
    '/operator/organizations/{paying}',
    '/operator/organizations/{owing}',
    '/operator/payments',
    '/operator/payments/{payment}',
    '/operator/payments/{contradicted}',
  ]),
]

export const PAGES: readonly PageRow[] = [
  ...rows('nobody', ['/sign-in', '/sign-up', '/verify', '/reset', '/join', '/explained']),
  ...rows('waiting', ['/waiting']),
  ...rows('restricted', ['/restricted']),
  ...rows('unregistered', ['/welcome']),
  ...rows('owner', ['/']),
  ...rows(
    'owner',
    ORGANIZATION_PAGES.map((path) => `/o/{slug}${path}`),
  ),
  ...rows(
    'owner',
    ['profile', 'security', 'sessions', 'organizations'].map((page) => `/account/${page}`),
  ),
  ...rows(
    'operator',
    OPERATOR_PAGES.map((path) => `/operator${path}`),
  ),
]

function rows(as: Visitor, paths: readonly string[]): PageRow[] {
  return paths.map((path) => ({ path, as }))
}

/** The path of a page in a seeded place. */
export function pathOf(
  { path }: Pick<PageRow, 'path'>,
  places: Places & Partial<PaymentPlaces>,
): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const place = places[name as keyof typeof places]
    if (place === undefined) throw new Error(`no ${name} was seeded`)
    return place
  })
}
