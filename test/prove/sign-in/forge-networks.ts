import { openConsoleClient, type ConsoleClient } from '../../harness/clients/console-clients.ts'
import { newAddress } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'
import { openPeople } from './people.ts'
import { startProxiedConsole, type ProxiedConsole } from './start-console.ts'

/** As many of each kind in the short form: every one computes passwords for seconds. */
const SHORT = 3

/** Failures that a network has, and those of all who come through a proxy that nobody named. */
const NETWORK_FAILURES = 20
const PROXY_FAILURES = 200

/** How one client tries to look like many, and somebody else who writes an address the same way. */
type Disguise = {
  readonly name: string
  readonly guess: (index: number) => string | undefined
  readonly other: string | undefined
}

const address = (index: number) => `10.${30 + (index >> 8)}.${index & 255}.9`

/** Behind a proxy that appends the address that it sees. */
const BEHIND_A_PROXY: readonly Disguise[] = [
  {
    name: 'addresses before its own',
    guess: (index) => `${address(index)}, 192.0.5.50`,
    other: `${address(0)}, 198.51.100.50`,
  },
  {
    name: 'mapped addresses with ports',
    guess: (index) => `[::ffff:192.0.4.${index + 1}]:${20_000 + index}`,
    other: '[::ffff:198.51.102.50]:443',
  },
  {
    name: 'subnets of one network',
    guess: (index) => `2001:db8:7:${index.toString(16)}::1`,
    other: '2001:db8:8::1',
  },
  {
    name: 'ports',
    guess: (index) => `192.0.3.50:${20_000 + index}`,
    other: '198.51.101.50:20000',
  },
  { name: 'words', guess: (index) => `unknown-${index}`, other: '198.51.103.50' },
  { name: 'no header', guess: () => undefined, other: '198.51.104.50' },
]

const WITHOUT_A_PROXY: readonly Disguise[] = [
  { name: 'no header, connected directly', guess: () => undefined, other: undefined },
  { name: 'a header, connected directly', guess: address, other: undefined },
]

/** One client never counts as many, however it writes its address. Returns how many ways. */
export async function forgeNetworks(run: ProofRun, proxied: ProxiedConsole): Promise<number> {
  const behind = run.short ? BEHIND_A_PROXY.slice(0, SHORT) : BEHIND_A_PROXY
  for (const disguise of behind) await tryDisguise(run, proxied, disguise, false)
  await using direct = await startProxiedConsole(null, { trusted_proxies: 0 })
  // The last one computes 200 passwords, which a busy machine has no time for.
  const without = run.short ? WITHOUT_A_PROXY.slice(0, 1) : WITHOUT_A_PROXY
  for (const disguise of without)
    await tryDisguise(run, direct, disguise, disguise.guess(0) !== undefined)
  return behind.length + without.length
}

async function tryDisguise(
  run: ProofRun,
  { root, environment }: ProxiedConsole,
  { name, guess, other }: Disguise,
  throughUnknownProxy: boolean,
): Promise<void> {
  const allowed = throughUnknownProxy ? PROXY_FAILURES : NETWORK_FAILURES
  const [person = '', ...targets] = await openPeople(environment.postgres, allowed + 20)
  await using client = openConsoleClient(root, { localAddress: newAddress(), connections: 4 })
  const statuses = await Promise.all(
    targets.map((email, index) => trySignIn(client, email, `guess ${index}`, guess(index))),
  )
  const computed = statuses.filter((status) => status === 401).length
  if (computed > allowed || computed === 0) run.fail(`${name}: ${computed} guesses were computed`)
  await using elsewhere = openConsoleClient(root, { localAddress: newAddress() })
  const status = await trySignIn(elsewhere, person, PASSWORD, other)
  if (status !== 201) run.fail(`${name}: somebody else's sign-in was ${status}`)
}

async function trySignIn(
  client: ConsoleClient,
  email: string,
  password: string,
  from: string | undefined,
): Promise<number> {
  const headers = from === undefined ? {} : { 'x-forwarded-for': from }
  const body = { email, password }
  return (await client.send('POST', '/sessions', { body, headers })).status
}
