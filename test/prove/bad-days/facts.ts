import type { Page } from 'playwright-core'
import { pathOf, type PageRow, type Places } from '../../harness/browser/pages.ts'
import type { Person } from '../../harness/processes/console.ts'

/** What a page shows, and the management API's own answer that has it. */
type Fact = { readonly ask: string; readonly picks: readonly string[] }

const ORGANIZATION = '/organizations/{slug}'
const MODELS: Fact = { ask: `${ORGANIZATION}/models`, picks: ['data.*.id'] }
const OWN_NAME: Fact = { ask: ORGANIZATION, picks: ['name'] }
const REQUESTS: Fact = { ask: `${ORGANIZATION}/requests?limit=20`, picks: ['data.*.model'] }
const WAITING: Fact = { ask: '/operator/accounts?state=waiting', picks: ['data.*.email'] }

const FACTS: Readonly<Record<string, Fact>> = {
  '/o/{slug}': MODELS,
  '/o/{slug}/keys': {
    ask: `${ORGANIZATION}/keys?state=active&limit=100`,
    picks: ['data.*.name', 'data.*.project.name'],
  },
  '/o/{slug}/keys/{key}': {
    ask: `${ORGANIZATION}/keys/{key}`,
    picks: ['name', 'project.name'],
  },
  '/o/{slug}/playground': MODELS,
  '/o/{slug}/usage': { ask: `${ORGANIZATION}/usage?by=model`, picks: ['data.*.model'] },
  '/o/{slug}/requests': REQUESTS,
  '/o/{slug}/requests/{request}': { ...REQUESTS, picks: ['data.*.id'] },
  '/o/{slug}/models': MODELS,
  '/o/{slug}/billing': { ask: `${ORGANIZATION}/balance`, picks: ['spent_this_month.amount'] },
  '/o/{slug}/projects': { ask: `${ORGANIZATION}/projects`, picks: ['data.*.name'] },
  '/o/{slug}/projects/{project}': { ask: `${ORGANIZATION}/projects/{project}`, picks: ['name'] },
  '/o/{slug}/members': { ask: `${ORGANIZATION}/members?limit=100`, picks: ['data.*.email'] },
  '/account/profile': { ask: '/me', picks: ['email', 'name'] },
  '/account/organizations': { ask: '/me/organizations', picks: ['data.*.name', 'data.*.plan'] },
  '/operator': WAITING,
  '/operator/waiting': WAITING,
  '/operator/accounts': { ask: '/operator/accounts?limit=20', picks: ['data.*.email'] },
  '/operator/organizations': {
    ask: '/operator/organizations?limit=50',
    picks: ['data.*.name', 'data.*.slug'],
  },
  '/operator/organizations/{slug}': {
    ask: '/operator/organizations/{slug}',
    picks: ['organization.name', 'organization.slug'],
  },
}

/** Every page has its frame, which names the organization or the person. */
function factOf({ path }: PageRow): Fact {
  return FACTS[path] ?? (path.startsWith('/o/') ? OWN_NAME : { ask: '/me', picks: ['email'] })
}

/** Where the management API is asked beside the page. */
export type Asked = { readonly origin: string; readonly places: Places; readonly person: Person }

export async function askApi({ origin, places, person }: Asked, path: string): Promise<unknown> {
  const address = `${origin}/management/v1${pathOf({ path }, places)}`
  const answer = await fetch(address, { headers: person.as })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return answer.json()
}

/** The status with which the API answers what a page needs. */
export async function statusFor(row: PageRow, asked: Asked): Promise<number> {
  const address = `${asked.origin}/management/v1${pathOf({ path: factOf(row).ask }, asked.places)}`
  return (await fetch(address, { headers: asked.person.as })).status
}

/** The texts that a page has to show, from the API's own answer at this time. */
export async function truthOf(row: PageRow, asked: Asked): Promise<readonly string[]> {
  const { ask, picks } = factOf(row)
  const answer = await askApi(asked, ask)
  return [...new Set(picks.flatMap((pick) => pickFrom(answer, pick.split('.'))))]
}

export function pickFrom(value: unknown, [key, ...rest]: readonly string[]): string[] {
  if (key === undefined)
    return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
  if (key === '*') return (value as unknown[]).flatMap((each) => pickFrom(each, rest))
  return pickFrom((value as Record<string, unknown> | null)?.[key], rest)
}

/** All texts of the document and of its fields. A text, as the checker knows no browser. */
const SHOWN = `[document.body.textContent, ...[...document.querySelectorAll('input, textarea')]
  .map((field) => field.value)].join('\\n').replaceAll(/\\s+/g, ' ')`

export async function textOf(page: Page): Promise<string> {
  // A page that loads itself again shows nothing for a moment.
  return page.evaluate<string>(SHOWN).catch(() => '')
}

/** What of the truth a page does not show. */
export async function missingIn(page: Page, truth: readonly string[]): Promise<string[]> {
  const shown = await textOf(page)
  return truth.filter((text) => !shown.includes(text.replaceAll(/\s+/g, ' ')))
}
