// Guessing passwords is slow and disturbs nobody; no answer, time, link or forged request helps,
// also with forged addresses, without email, and if something opens every link of an email.
// covers: src/platform/sign-in/identity/** src/platform/sign-in/accounts/** src/platform/mail/**
// covers: src/store/sign-in/**
import { openPeople } from './sign-in/people.ts'
import { attack, type AttackResult } from './sign-in/guess.ts'
import { enumerate } from './sign-in/enumerate.ts'
import { forgeRequests, injectHeaders, redirect, replayLinks } from './sign-in/forge.ts'
import { forgeNetworks } from './sign-in/forge-networks.ts'
import { scanLinks } from './sign-in/scan-links.ts'
import { startProxiedConsole, type ProxiedConsole } from './sign-in/start-console.ts'
import { signInWithoutMail } from './sign-in/without-mail.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const GUESSES = 10_000
const GUESSES_SHORT = 1_000
/** As many as an argon2 queue could be made to compute. */
const SPREAD_GUESSES = 2_000
const SPREAD_GUESSES_SHORT = 200
const SPREAD_TARGETS = 200
const COMPUTED_MAX = 40
/** Ten, and the first ones after the delays of a long run. */
const COMPUTED_PER_ADDRESS_MAX = 14
const TRIALS = 1_000
const TRIALS_SHORT = 50
const LINKS = 20
const LINKS_SHORT = 3
const OTHERS = 2_000
/** Those that guesses come from at once. */
const NETWORKS = 200
const FEW_NETWORKS = 50
/** People whose browsers are known when the flood begins. */
const KNOWN_DEVICES = 50
const KNOWN_DEVICES_SHORT = 6

/** New devices of others may have to wait then, which is documented; known ones may not. */
async function floodFrom(
  run: ProofRun,
  { root, environment: { postgres } }: ProxiedConsole,
  networks: readonly string[],
  guesses: number,
): Promise<AttackResult> {
  const flood = await attack(run, {
    name: 'many addresses from 200 networks',
    root,
    guesses,
    targets: await openPeople(postgres, SPREAD_TARGETS),
    others: await openPeople(postgres, run.short ? KNOWN_DEVICES_SHORT : KNOWN_DEVICES),
    from: networks,
    knownDevices: true,
  })
  if (flood.perTargetMax > COMPUTED_PER_ADDRESS_MAX)
    run.fail(`${flood.perTargetMax} guesses from 200 networks at one address were computed`)
  return flood
}

await runProof('sign-in', async (run) => {
  await using mail = await startMailServer()
  await using console_ = await startProxiedConsole(mail, { sign_up: 'open' })
  const { root, environment } = console_
  const { postgres } = environment
  const others = await openPeople(postgres, OTHERS)
  const targets = await openPeople(postgres, SPREAD_TARGETS)
  const networks = Array.from({ length: NETWORKS }, (_, index) => `10.20.${index}.1`)
  const one = await attack(run, {
    name: 'one address',
    root,
    guesses: run.short ? GUESSES_SHORT : GUESSES,
    targets: targets.slice(0, 1),
    others: others.slice(0, 600),
    from: networks,
  })
  if (one.computed > COMPUTED_MAX) run.fail(`${one.computed} guesses at one address were computed`)
  const spread = run.short ? SPREAD_GUESSES_SHORT : SPREAD_GUESSES
  const many = await attack(run, {
    name: 'many addresses',
    root,
    guesses: spread,
    targets: targets.slice(1),
    others: others.slice(600, 1_200),
    from: networks.slice(0, FEW_NETWORKS),
  })
  if (many.perTargetMax > COMPUTED_PER_ADDRESS_MAX)
    run.fail(`${many.perTargetMax} guesses at one of many addresses were computed`)
  const flood = await floodFrom(run, console_, networks, spread)
  const network = await attack(run, {
    name: 'many addresses from one network',
    root,
    guesses: run.short ? GUESSES_SHORT : GUESSES,
    targets: await openPeople(postgres, SPREAD_TARGETS),
    others: others.slice(1_200),
    from: ['192.0.2.7'],
  })
  if (network.computed > COMPUTED_MAX)
    run.fail(`${network.computed} guesses from one network were computed`)
  const headers = await forgeNetworks(run, console_)
  const trials = run.short ? TRIALS_SHORT : TRIALS
  return {
    one_computed: one.computed,
    one_others_ms: `${one.medianMs}/${one.p95Ms}`,
    many_computed: `${many.computed}/${spread}`,
    many_others_ms: `${many.medianMs}/${many.p95Ms}`,
    network_computed: network.computed,
    network_headers: headers,
    flood_computed: `${flood.computed}/${spread}`,
    known_devices: flood.othersSignedIn,
    others: one.othersSignedIn + many.othersSignedIn + network.othersSignedIn,
    ...(await enumerate(run, root, postgres, trials)),
    links: await replayLinks(run, root, postgres, mail, run.short ? LINKS_SHORT : LINKS),
    forged: await forgeRequests(run, root, postgres),
    redirects: redirect(run),
    injections: await injectHeaders(run, root, postgres, mail),
    scanned_links: await scanLinks(run, mail),
    without_mail: await signInWithoutMail(run),
  }
})
