import { openConsoleClient, type ConsoleAnswer } from '../../harness/clients/console-clients.ts'
import { newAddress } from '../../harness/processes/console.ts'
import { percentile } from '../../harness/figures/measure.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'

const CLIENTS = 50
/** Between two sign-ins of other people. */
const OTHERS_PAUSE_MS = 100
const OTHERS_MS_MAX = 1_000

export type Attack = {
  readonly name: string
  readonly root: string
  readonly guesses: number
  /** The addresses that are guessed at, in turn. */
  readonly targets: readonly string[]
  /** People who sign in meanwhile, each from a network of their own. */
  readonly others: readonly string[]
  /** Addresses from which guesses come in turn. */
  readonly from: readonly string[]
  /** Whether the others sign in with a browser that they have used before. */
  readonly knownDevices?: true
}

export type AttackResult = {
  /** Guesses that were answered with 401: their password was computed. */
  readonly computed: number
  readonly perTargetMax: number
  readonly othersSignedIn: number
  readonly medianMs: number
  readonly p95Ms: number
}

/** Guesses from 50 clients, while other people sign in with the right password. */
export async function attack(run: ProofRun, plan: Attack): Promise<AttackResult> {
  const computedOf = new Map<string, number>()
  const state = { sent: 0, running: true }
  const guesser = async () => {
    await using client = openConsoleClient(plan.root)
    while (state.sent < plan.guesses) {
      const email = plan.targets[state.sent % plan.targets.length] ?? ''
      state.sent += 1
      const headers = { 'x-forwarded-for': plan.from[state.sent % plan.from.length] ?? '' }
      const body = { email, password: `guess number ${state.sent}` }
      const { status, text } = await client.send('POST', '/sessions', { body, headers })
      if (status === 401) computedOf.set(email, (computedOf.get(email) ?? 0) + 1)
      else if (status !== 429 && status !== 503) run.fail(`${plan.name}: ${status} ${text}`)
    }
  }
  const cookies = plan.knownDevices === true ? await knowDevices(plan) : []
  const others = signInOthers(plan, state, cookies)
  await Promise.all(Array.from({ length: CLIENTS }, guesser))
  state.running = false
  const answers = await others
  for (const { status, text } of answers)
    if (status !== 201) run.fail(`${plan.name}: somebody else's sign-in was ${status} ${text}`)
  const times = answers.map(({ ms }) => ms)
  const [medianMs, p95Ms] = [percentile(times, 0.5), percentile(times, 0.95)]
  if (!run.short && p95Ms >= OTHERS_MS_MAX) run.fail(`${plan.name}: others' p95 is ${p95Ms} ms`)
  const counts = [...computedOf.values()]
  return {
    computed: counts.reduce((sum, count) => sum + count, 0),
    perTargetMax: Math.max(0, ...counts),
    othersSignedIn: answers.length,
    medianMs: Math.round(medianMs),
    p95Ms: Math.round(p95Ms),
  }
}

/** The cookies by which browsers are known after a first sign-in. */
async function knowDevices({ root, others }: Attack): Promise<string[]> {
  await using client = openConsoleClient(root)
  const cookies: string[] = []
  for (const email of others) {
    const headers = { 'x-forwarded-for': newAddress() }
    const answer = await client.send('POST', '/sessions', {
      body: { email, password: PASSWORD },
      headers,
    })
    const set = [answer.headers['set-cookie'] ?? []].flat()
    const device = set.find((value) => value.startsWith('__Host-headrace_device='))
    if (device === undefined) throw new Error(`no device after a sign-in: ${answer.text}`)
    cookies.push(device.split(';')[0] ?? '')
  }
  return cookies
}

/** One after the other, each by somebody who has not signed in yet. */
async function signInOthers(
  { root, others }: Attack,
  state: { readonly running: boolean },
  cookies: readonly string[],
): Promise<ConsoleAnswer[]> {
  await using client = openConsoleClient(root)
  const answers: ConsoleAnswer[] = []
  for (const [index, email] of others.entries()) {
    if (!state.running && answers.length >= 5) break
    const body = { email, password: PASSWORD }
    const cookie = cookies[index]
    const device = cookie === undefined ? {} : { cookie }
    const headers = { 'x-forwarded-for': newAddress(), ...device }
    answers.push(await client.send('POST', '/sessions', { body, headers }))
    // pacing: the others sign in now and then.
    await new Promise((resolve) => setTimeout(resolve, OTHERS_PAUSE_MS))
  }
  return answers
}
