import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { loginKey } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'
import { normalEmail } from '../../tenancy/email.ts'

const SCRIPT = readScript(import.meta.url, 'login.lua')

/** Who attempts, or whose account it is; who causes emails, or who gets them. */
export type LoginSubject =
  | {
      readonly kind: 'email' | 'invited' | 'alerted' | 'new_address' | 'new_device' | 'told'
      readonly email: string
    }
  | {
      readonly kind:
        | 'network'
        | 'proxy'
        | 'emails'
        | 'proxy_emails'
        | 'reports'
        | 'proxy_reports'
        | 'links'
        | 'proxy_links'
      readonly prefix: string
    }
  | {
      readonly kind: 'device' | 'inviting' | 'resent' | 'noted' | 'voucher'
      readonly id: string
    }

type Rule = {
  /** Failures before the first delay. Of emails, how many are sent. */
  readonly free: number
  readonly rememberedMs: number
  /** Since which failure they are remembered. */
  readonly since: 'first' | 'last'
  /** Failures without a delay while Valkey is unreachable, per process. */
  readonly localFree: number
  /** Instead of delays that grow: nothing more until all is forgotten. */
  readonly strict?: true
}

const FIRST_DELAY_MS = 30_000
const LONGEST_DELAY_MS = 15 * MINUTE_MS

const RULES: Readonly<Record<LoginSubject['kind'], Rule>> = {
  email: { free: 10, rememberedMs: DAY_MS, since: 'last', localFree: 5 },
  // Of a device that signed in before, for its account: instead of the address and the network.
  device: { free: 10, rememberedMs: DAY_MS, since: 'last', localFree: 5 },
  // Many people share a network, and some of them mistype all day.
  network: { free: 20, rememberedMs: 15 * MINUTE_MS, since: 'first', localFree: 10 },
  // Everybody behind a proxy that the configuration does not name has its network, so one of them
  // must not soon lock out the others. But it needs some limit: without a proxy, anybody can send
  // X-Forwarded-For and seem to be behind one. So it counts as ten networks.
  proxy: { free: 200, rememberedMs: 15 * MINUTE_MS, since: 'first', localFree: 100 },
  // Links that strangers ask for, to any address.
  emails: { free: 100, rememberedMs: HOUR_MS, since: 'first', localFree: 20, strict: true },
  proxy_emails: {
    free: 1_000,
    rememberedMs: HOUR_MS,
    since: 'first',
    localFree: 200,
    strict: true,
  },
  // Secrets of keys that were found, of which a scanner may send many.
  reports: { free: 300, rememberedMs: HOUR_MS, since: 'first', localFree: 60, strict: true },
  proxy_reports: {
    free: 3_000,
    rememberedMs: HOUR_MS,
    since: 'first',
    localFree: 600,
    strict: true,
  },
  // Links to requests that strangers open.
  links: { free: 300, rememberedMs: HOUR_MS, since: 'first', localFree: 60, strict: true },
  proxy_links: { free: 3_000, rememberedMs: HOUR_MS, since: 'first', localFree: 600, strict: true },
  // Codes of vouchers that are wrong, for each account and each organization.
  voucher: { free: 10, rememberedMs: HOUR_MS, since: 'first', localFree: 5, strict: true },
  // Emails about what happened to keys and domains.
  told: { free: 20, rememberedMs: DAY_MS, since: 'first', localFree: 10, strict: true },
  // Emails of tenants, whose words somebody else has chosen.
  invited: { free: 10, rememberedMs: DAY_MS, since: 'first', localFree: 5, strict: true },
  alerted: { free: 20, rememberedMs: DAY_MS, since: 'first', localFree: 10, strict: true },
  new_address: { free: 20, rememberedMs: HOUR_MS, since: 'first', localFree: 5, strict: true },
  new_device: { free: 10, rememberedMs: DAY_MS, since: 'first', localFree: 5, strict: true },
  inviting: { free: 200, rememberedMs: DAY_MS, since: 'first', localFree: 20, strict: true },
  // Events of wrong passwords and codes in the audit log, for each account.
  noted: { free: 1, rememberedMs: MINUTE_MS, since: 'first', localFree: 1, strict: true },
  resent: { free: 3, rememberedMs: DAY_MS, since: 'first', localFree: 1, strict: true },
}

/** Without Valkey, per process. Beyond it, the subject that was tried longest ago is forgotten. */
const LOCAL_SUBJECTS_MAX = 10_000

export type LoginAttempt = {
  /** For how long the subject must wait; 0 if the attempt may be made. */
  readonly waitMs: number
  /** The attempt succeeded or was not made: it does not count. */
  readonly undo: () => Promise<void>
}

export type LoginLimits = {
  /**
   * Counts an attempt as failed, unless the subject must wait. Asked before a password is computed.
   * Never throws for want of Valkey.
   */
  attempt(subject: LoginSubject): Promise<LoginAttempt>
  /** Whoever signs in as the owner of an address may fail as often as at first. */
  forget(subject: LoginSubject): Promise<void>
}

export function createLoginLimits(valkey: Pick<Valkey, 'call'>): LoginLimits {
  const evaluate = scriptCaller(valkey, SCRIPT)
  const local = createLocalLimits()

  async function run(subject: LoginSubject, act: 'try' | 'undo'): Promise<number> {
    const { free, rememberedMs, since, strict } = RULES[subject.kind]
    const delays = strict ? [rememberedMs, rememberedMs] : [FIRST_DELAY_MS, LONGEST_DELAY_MS]
    const args = [act, free, ...delays, rememberedMs, since]
    return (await evaluate({ keys: [keyOf(subject)], args })) as number
  }

  return {
    async attempt(subject) {
      try {
        const waitMs = await run(subject, 'try')
        const undo = async () => {
          await run(subject, 'undo').catch(ignoreUnavailable)
        }
        return { waitMs, undo }
      } catch (error) {
        ignoreUnavailable(error)
        return local.attempt(subject)
      }
    },
    async forget(subject) {
      local.forget(subject)
      await valkey.call('DEL', [keyOf(subject)]).catch(ignoreUnavailable)
    },
  }
}

/** After as many failures a subject waits until they are forgotten. */
function createLocalLimits() {
  const counts = new LRUCache<string, number>({ max: LOCAL_SUBJECTS_MAX, ttl: LONGEST_DELAY_MS })
  const add = (key: string, difference: number) =>
    counts.set(key, (counts.get(key) ?? 0) + difference, { noUpdateTTL: true })
  return {
    attempt(subject: LoginSubject): LoginAttempt {
      const key = keyOf(subject)
      if ((counts.get(key) ?? 0) >= RULES[subject.kind].localFree)
        return { waitMs: Math.max(1, counts.getRemainingTTL(key)), undo: () => Promise.resolve() }
      add(key, 1)
      return { waitMs: 0, undo: async () => void add(key, -1) }
    },
    forget: (subject: LoginSubject) => void counts.delete(keyOf(subject)),
  }
}

/** The store keeps no email address and no client address. */
function keyOf(subject: LoginSubject): string {
  const name = nameOf(subject)
  return loginKey(createHash('sha256').update(`${subject.kind}:${name}`).digest('base64url'))
}

function nameOf(subject: LoginSubject): string {
  if ('email' in subject) return normalEmail(subject.email)
  return 'prefix' in subject ? subject.prefix : subject.id
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof ValkeyUnavailable)) throw error
}
