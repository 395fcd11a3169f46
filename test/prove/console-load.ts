// One hostile client and one hostile tenant at full speed keep nobody else from signing in, and
// nobody gets more emails than documented.
// covers: src/platform/api/** src/platform/sign-in/sessions/** src/platform/sign-in/accounts/**
// covers: src/platform/mail/** src/platform/use-case/later.ts
import { percentile, waitUntil } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startMailServer } from '../harness/servers/smtp.ts'
import { startHostileClient } from './console-load/hostile-client.ts'
import { startHostileTenant } from './console-load/hostile-tenant.ts'
import { makeKnown, signInAll, stranger, type Person } from './console-load/others.ts'
import { openPeople } from './sign-in/people.ts'
import { startProxiedConsole } from './sign-in/start-console.ts'

const SECONDS = 60
const SECONDS_SHORT = 12
const STALLED = 500
const TIMEOUT_MS = 60_000
const EXPORTS = 200
/** More than sign in during the longest run. */
const NEW_PEOPLE = 300
const KNOWN_PEOPLE = 40
const SIGNED_IN_MIN = 0.99
const P95_MS_MAX = 2_000
/** Five links an hour that one network asks for, and ten invitations a day. */
const EMAILS_MAX = 15

async function prove(run: ProofRun) {
  await using mail = await startMailServer()
  await using console_ = await startProxiedConsole(mail)
  const { root, environment } = console_
  const { postgres } = environment
  const emails = await openPeople(postgres, NEW_PEOPLE + KNOWN_PEOPLE + 1)
  const [victim = '', ...others] = emails
  const known: Person[] = []
  for (const email of others.slice(0, KNOWN_PEOPLE)) known.push(await makeKnown(root, email))
  const strangers = others.slice(KNOWN_PEOPLE).map(stranger)
  await using client = startHostileClient(root, victim, STALLED)
  await using tenant = await startHostileTenant(root, environment, victim, EXPORTS)
  const areStalled = () => client.stalled() >= SIGNED_IN_MIN * STALLED
  await waitUntil(`${STALLED} stalled connections`, areStalled, TIMEOUT_MS, {
    seen: client.stalled,
  })
  const untilMs = performance.now() + 1_000 * (run.short ? SECONDS_SHORT : SECONDS)
  const answers = (
    await Promise.all([
      signInAll(root, [...known, ...known, ...known], untilMs),
      signInAll(root, strangers, untilMs),
    ])
  ).flat()
  const signedIn = answers.filter(({ status }) => status === 201)
  for (const { status, text } of answers)
    if (status !== 201) console.log(`a sign-in was ${status} ${text}`)
  if (signedIn.length < SIGNED_IN_MIN * answers.length)
    run.fail(`${signedIn.length} of ${answers.length} signed in`)
  const times = answers.map(({ ms }) => ms)
  const p95Ms = Math.round(percentile(times, 0.95))
  if (!run.short && p95Ms > P95_MS_MAX) run.fail(`p95 of the sign-ins is ${p95Ms} ms`)
  const sent = mail.emails.filter(({ to }) => to.includes(victim)).length
  if (sent > EMAILS_MAX) run.fail(`${sent} emails to one address`)
  return {
    others: answers.length,
    signed_in: signedIn.length,
    p50_ms: Math.round(percentile(times, 0.5)),
    p95_ms: p95Ms,
    emails_to_one: sent,
    stalled: client.stalled(),
    client: JSON.stringify(client.answers()),
    tenant: JSON.stringify(tenant.answers()),
  }
}

await runProof('console-load', prove)
