import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { loginKey } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'

const SCRIPT = readScript(import.meta.url, 'login.lua')

/** Who attempts, or whose account it is. */
export type LoginSubject =
  | { readonly kind: 'email'; readonly email: string }
  | { readonly kind: 'network'; readonly prefix: string }

type Rule = {
  /** Failures before the first delay. */
  readonly free: number
  readonly rememberedMs: number
  /** Since which failure they are remembered. */
  readonly since: 'first' | 'last'
  /** Failures without a delay while Valkey is unreachable, per process. */
  readonly localFree: number
}

const FIRST_DELAY_MS = 30_000
const LONGEST_DELAY_MS = 15 * MINUTE_MS

const RULES: Readonly<Record<LoginSubject['kind'], Rule>> = {
  email: { free: 10, rememberedMs: DAY_MS, since: 'last', localFree: 5 },
  // Many people share a network, and some of them mistype all day.
  network: { free: 20, rememberedMs: 15 * MINUTE_MS, since: 'first', localFree: 10 },
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
    const { free, rememberedMs, since } = RULES[subject.kind]
    const args = [act, free, FIRST_DELAY_MS, LONGEST_DELAY_MS, rememberedMs, since]
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

/** The store keeps no e-mail address and no client address. */
function keyOf(subject: LoginSubject): string {
  const name = subject.kind === 'email' ? subject.email.toLowerCase() : subject.prefix
  return loginKey(createHash('sha256').update(`${subject.kind}:${name}`).digest('base64url'))
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof ValkeyUnavailable)) throw error
}
