// A passkey signs in its owner, once for each challenge and on this origin only.
// covers: src/platform/sign-in/passkeys/** src/platform/sign-in/identity/**
// covers: src/platform/sign-in/factors/** src/store/sign-in/**
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import {
  addAuthenticator,
  callAuthenticator,
  callFromPage,
  startBrowser,
  type PageAnswer,
  type TestBrowser,
} from '../harness/browser/browser.ts'
import { startConsoleProcess, type ConsoleProcess } from '../harness/processes/console-process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { PASSWORD } from '../harness/clients/sign-in.ts'

const PEOPLE = 4
const SOAK_FACTOR = 25

type Setting = {
  readonly run: ProofRun
  readonly console_: ConsoleProcess
  readonly browser: TestBrowser
  /** Another port of the same host: a passkey for the host works there, but not for us. */
  readonly otherOrigin: string
}

type Credential = { readonly id: string; readonly response: Readonly<Record<string, string>> }

/** A page of the console without scripts: the sign-in page asks the authenticator itself. */
const SCRIPTLESS = '/management/v1/none'

const tally = { people: 0, signed_in: 0, attacks: 0, accepted: 0 }

await runProof('passkeys', async (run) => {
  await using console_ = await startConsoleProcess()
  await using browser = await startBrowser()
  await using elsewhere = await startOtherOrigin()
  const setting = { run, console_, browser, otherOrigin: elsewhere.origin }
  let victim: Credential | undefined
  for (let person = 0; person < PEOPLE * (run.soak ? SOAK_FACTOR : 1); person += 1)
    victim = await proveOne(setting, victim)
  return tally
})

/** One person with a browser of their own. Returns an assertion of their passkey. */
async function proveOne(setting: Setting, victim: Credential | undefined): Promise<Credential> {
  const { run, console_, browser } = setting
  const { email } = await console_.openPersonWithPassword()
  const { context, page } = await browser.openPage()
  await page.goto(console_.origin + SCRIPTLESS)
  await addAuthenticator(context, page)
  await expect(run, 201, callFromPage(page, 'POST', '/sessions', { email, password: PASSWORD }))
  const passkey = await register(setting, page)
  await expect(run, 204, callFromPage(page, 'DELETE', '/sessions/current'))
  const used = await assertFrom(page)
  await expect(run, 201, callFromPage(page, 'POST', '/sessions/passkey', { credential: used }))
  const me = await callFromPage(page, 'GET', '/me/passkeys')
  const [own] = (me.body['data'] ?? []) as { id: string }[]
  if (own?.id === passkey.id) tally.signed_in += 1
  else run.fail(`the passkey of another account: ${JSON.stringify(me)}`)
  await expect(run, 204, callFromPage(page, 'DELETE', '/sessions/current'))
  await attack(setting, page, used)
  await attackFromElsewhere(setting, page)
  const fresh = await assertFrom(page)
  if (victim !== undefined) await swap(setting, page, fresh, victim)
  await context.close()
  tally.people += 1
  return used
}

async function register({ run }: Setting, page: Page): Promise<Credential> {
  const options = await callFromPage(page, 'POST', '/me/passkeys/options')
  const credential = (await callAuthenticator(page, 'create', options.body)) as Credential
  const body = { name: 'Browser', credential }
  await expect(run, 201, callFromPage(page, 'POST', '/me/passkeys', body))
  await refuse(run, 'registration replayed', callFromPage(page, 'POST', '/me/passkeys', body))
  return credential
}

async function assertFrom(page: Page): Promise<Credential> {
  const options = await callFromPage(page, 'POST', '/sessions/passkey/options')
  return (await callAuthenticator(page, 'get', options.body)) as Credential
}

/** Everything that can be done with an assertion that was seen on its way. */
async function attack({ run }: Setting, page: Page, used: Credential): Promise<void> {
  const signIn = (credential: unknown) =>
    callFromPage(page, 'POST', '/sessions/passkey', { credential })
  await refuse(run, 'assertion replayed', signIn(used))
  const options = await callFromPage(page, 'POST', '/sessions/passkey/options')
  const challenge = String(options.body['challenge'])
  await refuse(run, 'old assertion, new challenge', signIn(withChallenge(used, challenge)))
  // The attempt has used the challenge up, so the right answer to it is refused as well.
  const late = await callAuthenticator(page, 'get', options.body)
  await refuse(run, 'challenge replayed', signIn(late))
  const invented = { ...options.body, challenge: 'A'.repeat(43) }
  const answered = await callAuthenticator(page, 'get', invented)
  await refuse(run, 'challenge of the attacker', signIn(answered))
  const parallel = await assertFrom(page)
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(parallel)))
  const opened = answers.filter(({ status }) => status === 201).length
  tally.attacks += answers.length
  if (opened !== 1) run.fail(`one assertion sent 5 times at once opened ${opened} sessions`)
  await callFromPage(page, 'DELETE', '/sessions/current')
}

/** A page of another origin lets the authenticator sign a challenge of ours. */
async function attackFromElsewhere(setting: Setting, page: Page): Promise<void> {
  const { run, console_, otherOrigin } = setting
  const options = await callFromPage(page, 'POST', '/sessions/passkey/options')
  await page.goto(otherOrigin)
  const phished = await callAuthenticator(page, 'get', options.body)
  await page.goto(console_.origin + SCRIPTLESS)
  const sent = callFromPage(page, 'POST', '/sessions/passkey', { credential: phished })
  await refuse(run, 'wrong origin', sent)
}

/** The answer of one passkey under the name of another. */
async function swap(
  { run }: Setting,
  page: Page,
  own: Credential,
  victim: Credential,
): Promise<void> {
  const credential = { ...own, id: victim.id, rawId: victim.id }
  const named = callFromPage(page, 'POST', '/sessions/passkey', { credential })
  await refuse(run, "another account's passkey", named)
}

function withChallenge(credential: Credential, challenge: string): Credential {
  const { clientDataJSON = '' } = credential.response
  const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as object
  const changed = Buffer.from(JSON.stringify({ ...data, challenge })).toString('base64url')
  return { ...credential, response: { ...credential.response, clientDataJSON: changed } }
}

async function expect(run: ProofRun, status: number, sent: Promise<PageAnswer>): Promise<void> {
  const answer = await sent
  if (answer.status !== status) run.fail(`${status} expected: ${JSON.stringify(answer)}`)
}

async function refuse(run: ProofRun, what: string, sent: Promise<PageAnswer>): Promise<void> {
  const answer = await sent
  tally.attacks += 1
  if (answer.status === 401 || answer.status === 400) return
  tally.accepted += 1
  run.fail(`${what}: ${JSON.stringify(answer)}`)
}

async function startOtherOrigin(): Promise<AsyncDisposable & { readonly origin: string }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>another origin</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
