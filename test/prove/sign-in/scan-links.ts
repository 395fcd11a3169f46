import { openConsoleClient, type ConsoleClient } from '../../harness/clients/console-clients.ts'
import { findFreePort } from '../../harness/processes/console-process.ts'
import { openPerson, openSession, type Headers } from '../../harness/processes/console.ts'
import { startBrowser, type TestBrowser } from '../../harness/browser/browser.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'
import type { MailServer } from '../../harness/servers/smtp.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { openPeople } from './people.ts'
import { startProxiedConsole } from './start-console.ts'

type Mailing = {
  readonly client: ConsoleClient
  readonly postgres: Postgres
  readonly origin: string
}

type Asked = {
  /** Who gets the email. */
  readonly to: string
  /** The person's own click. */
  readonly path: string
  readonly body?: object
  readonly as?: Headers
}

const newEmail = () => `${crypto.randomUUID()}@example.com`

/** Every kind of message whose link does something. */
const EMAILS: Readonly<Record<string, (mailing: Mailing) => Promise<Asked>>> = {
  async 'sign-up'({ client, origin }) {
    const to = newEmail()
    await client.send('POST', '/sign-ups', { as: { origin }, body: { email: to } })
    return { to, path: '/sign-ups/complete', body: { password: PASSWORD } }
  },
  async 'new password'({ client, origin, postgres }) {
    const [to = ''] = await openPeople(postgres, 1)
    await client.send('POST', '/password-resets', { as: { origin }, body: { email: to } })
    return { to, path: '/password-resets/complete', body: { password: PASSWORD } }
  },
  async 'new address'({ client, origin, postgres }) {
    const { as } = await openPerson(postgres, {})
    const to = newEmail()
    await client.send('POST', '/me/email', { as: { ...as, origin }, body: { email: to } })
    return { to, path: '/email-verifications' }
  },
  async 'invitation of a stranger'(mailing) {
    const to = newEmail()
    await invite(mailing, to)
    const body = { name: 'Grace Weir', password: PASSWORD }
    return { to, path: '/invitations/join', body }
  },
  async invitation(mailing) {
    const { origin, postgres } = mailing
    const guest = await openPerson(postgres, {})
    await invite(mailing, guest.email)
    const session = await openSession(postgres, guest.accountId)
    return { to: guest.email, path: '/invitations/accept', as: { ...session, origin } }
  },
}

async function invite({ client, origin, postgres }: Mailing, email: string): Promise<void> {
  const { id: organizationId } = await openOrganization(postgres.database, 'ample')
  const owner = await openPerson(postgres, { organizationId, role: 'owner' })
  const as = { ...owner.as, origin }
  await client.send('POST', `/organizations/${organizationId}/invitations`, { as, body: { email } })
}

/** A mail scanner opens every link before the person does, and uses nothing up. */
export async function scanLinks(run: ProofRun, mail: MailServer): Promise<number> {
  const port = await findFreePort()
  const origin = `http://localhost:${port}`
  const settings = { sign_up: 'open', port, public_url: origin }
  await using console_ = await startProxiedConsole(mail, settings)
  await using browser = await startBrowser()
  await using client = openConsoleClient(console_.root)
  const { postgres } = console_.environment
  let scanned = 0
  for (const [name, ask] of Object.entries(EMAILS)) {
    const { to, path, body = {}, as = { origin } } = await ask({ client, postgres, origin })
    const { text } = await mail.take(to)
    const links = text.match(/http\S+/g) ?? []
    for (const link of links) scanned += await scan(run, browser, link)
    const token = links.map((link) => link.split('#token=')[1]).find((each) => each !== undefined)
    const used = await client.send('POST', path, { as, body: { token, ...body } })
    if (used.status >= 300)
      run.fail(`${name}: after a scanner the link is ${used.status} ${used.text}`)
    const again = await client.send('POST', path, { as, body: { token, ...body } })
    if (again.status < 400) run.fail(`${name}: the link worked twice`)
  }
  return scanned
}

/** By GET and HEAD, with the token where a server sees it, and as a browser that runs scripts. */
async function scan(run: ProofRun, browser: TestBrowser, link: string): Promise<number> {
  const seen = link.replace('#token=', '?token=')
  for (const address of [link, seen])
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(address, { method })
      await response.text()
      if (response.status !== 200) run.fail(`${method} ${address}: ${response.status}`)
    }
  const page = await browser.openStrictPage()
  await page.goto(link, { waitUntil: 'networkidle' })
  await page.context().close()
  return 1
}
