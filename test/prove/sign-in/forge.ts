import type { Route } from '../../../src/platform/api/route.ts'
import { ROUTES } from '../../../src/platform/api/routes.ts'
import { safePath } from '../../../src/platform/sign-in/identity/safe-path.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import {
  errorCodeOf,
  openConsoleClient,
  type ConsoleClient,
} from '../../harness/clients/console-clients.ts'
import { openPerson, PUBLIC_URL } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { REDIRECT_ATTACKS } from '../../harness/servers/redirect-attacks.ts'
import { PASSWORD, tokenIn } from '../../harness/clients/sign-in.ts'
import type { MailServer } from '../../harness/servers/smtp.ts'
import { openPeople } from './people.ts'

const AT_ONCE = 20

/** What a browser sends for a page of another site, and of another port of the same host. */
const FOREIGN = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:9999', 'sec-fetch-site': 'same-site' },
  { origin: 'http://localhost:9999' },
  { origin: 'null' },
  { origin: `${PUBLIC_URL}.evil.example` },
  { 'sec-fetch-site': 'none' },
  {},
]

/** Without payments their routes are like unknown paths. */
const isThere = (route: Route) => route.needs === undefined

/** Every change of the route table, asked for by a page that is not the console's. */
export async function forgeRequests(
  run: ProofRun,
  root: string,
  postgres: Postgres,
): Promise<number> {
  await using client = openConsoleClient(root)
  const { as, accountId } = await openPerson(postgres, { platformRole: 'operator' })
  const cookie = as['cookie'] ?? ''
  let forged = 0
  for (const { method, path, anywhere, form } of ROUTES.filter(isThere).filter(
    (route) => route.method !== 'GET',
  ))
    for (const foreign of FOREIGN) {
      const target = path.replaceAll(/\{\w+\}/g, accountId)
      const answer = await client.send(method, target, { as: { cookie, ...foreign }, body: {} })
      forged += 1
      // What depends on no session may be asked for from anywhere.
      const missing = form === true ? 'unsupported_media_type' : 'missing_required_parameter'
      const expected = anywhere === true ? missing : 'cross_origin'
      if (errorCodeOf(answer) !== expected)
        run.fail(`${method} ${path} from ${JSON.stringify(foreign)}: ${answer.status}`)
    }
  // A form can send neither JSON nor the header that says so.
  for (const { method, path } of ROUTES.filter(isThere).filter(
    (route) => route.method === 'POST',
  )) {
    const headers = { 'content-type': 'text/plain' }
    const target = path.replaceAll(/\{\w+\}/g, accountId)
    const answer = await client.send(method, target, { as, headers, body: {} })
    forged += 1
    if (answer.status !== 415) run.fail(`${method} ${path} as a form: ${answer.status}`)
  }
  return forged
}

export function redirect(run: ProofRun): number {
  for (const to of REDIRECT_ATTACKS) {
    const { host } = new URL(safePath(to), PUBLIC_URL)
    if (host !== new URL(PUBLIC_URL).host) run.fail(`${JSON.stringify(to)} leads to ${host}`)
  }
  return REDIRECT_ATTACKS.length
}

/** Each link is used by many at the same time, and again later. */
export async function replayLinks(
  run: ProofRun,
  root: string,
  postgres: Postgres,
  mail: MailServer,
  links: number,
): Promise<number> {
  await using client = openConsoleClient(root, { connections: AT_ONCE })
  for (const email of await openPeople(postgres, links)) {
    await client.send('POST', '/password-resets', { body: { email } })
    const token = tokenIn((await mail.take(email, 'new password')).text)
    const use = () => useLink(client, token)
    const uses = await Promise.all(Array.from({ length: AT_ONCE }, use))
    const worked = uses.filter((status) => status === 200).length
    if (worked !== 1) run.fail(`a link worked ${worked} times`)
    if ((await use()) !== 400) run.fail('a used link worked later')
  }
  return links
}

async function useLink(client: ConsoleClient, token: string): Promise<number> {
  const body = { token, password: PASSWORD }
  const { status } = await client.send('POST', '/password-resets/complete', { body })
  // The queue of passwords was full: the link was not used.
  return status === 503 ? 400 : status
}

/** Addresses that a mail library could read as several, or as headers. */
export async function injectHeaders(
  run: ProofRun,
  root: string,
  postgres: Postgres,
  mail: MailServer,
): Promise<number> {
  await using client = openConsoleClient(root)
  const [victim = ''] = await openPeople(postgres, 1)
  const breaks = ['\r\n', '\n', '\r', '\u0000', '\u2028', '\u0085', ',', ';', ' ', '\t', '<', '(']
  const attempts = breaks.flatMap((text) => [
    `${victim}${text}Bcc:evil@example.com`,
    `evil@example.com${text}${victim}`,
  ])
  for (const email of attempts)
    for (const [path, body] of [
      ['/password-resets', { email }],
      ['/sign-ups', { email }],
    ] as const) {
      const { status } = await client.send('POST', path, { body })
      if (status !== 400) run.fail(`${path} accepted ${JSON.stringify(email)}: ${status}`)
    }
  await client.send('POST', '/password-resets', { body: { email: victim } })
  await mail.take(victim)
  const stray = mail.emails.filter(({ to }) => to.some((address) => address.includes('evil')))
  if (stray.length > 0) run.fail(`${stray.length} emails went to an injected address`)
  return attempts.length * 2
}
