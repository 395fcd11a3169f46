import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import type { SignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { ConsoleSettings } from '../../use-case/environment.ts'

/** Of operators, support and owners of organizations. */
const POWERFUL = { hoursMax: 12, idleMinutes: 60 }
/** Of everyone else; the longest session is a setting. */
const IDLE_MINUTES = 7 * 24 * 60

/** How long a person has to give the second factor. */
const INCOMPLETE_MINUTES = 15

/**
 * - `complete`: the session can be used
 * - `required`: it can only be completed with the second factor
 * - `enrol`: the account must have a second factor and has none yet: it can only be enrolled
 */
export type SecondFactor = 'complete' | 'required' | 'enrol'

type FactorSettings = Pick<ConsoleSettings, 'require_second_factor'>

/** Whether what was given is enough. `methods` as in `ActingSession`. */
export function judgeSignIn(
  settings: FactorSettings,
  facts: SignInFacts,
  methods: readonly string[],
): SecondFactor {
  // A passkey is possession and a check of the person in one.
  if (methods.some((method) => ['passkey', 'totp', 'recovery_code'].includes(method)))
    return 'complete'
  // An account may be a member elsewhere too, so its own second factor counts for everyone.
  if (facts.hasTotp) return 'required'
  // An identity provider checks what its organization wants. But it belongs to that organization,
  // which must not decide about a role for the whole service.
  const isTrusted = methods.some((method) => method.startsWith('sso:'))
  if (isTrusted && facts.platformRole === null) return 'complete'
  if (!mustHaveFactor(settings, facts)) return 'complete'
  return facts.hasPasskey ? 'required' : 'enrol'
}

export function mustHaveFactor(settings: FactorSettings, facts: SignInFacts): boolean {
  if (facts.organizationRequiresFactor || settings.require_second_factor === 'all') return true
  return settings.require_second_factor === 'operators' && facts.platformRole !== null
}

export type SessionLife = { readonly endsAt: Date; readonly idleMinutes: number }

export function sessionLife(
  settings: ConsoleSettings,
  facts: SignInFacts,
  factor: SecondFactor,
  nowMs: number = Date.now(),
): SessionLife {
  if (factor !== 'complete')
    return {
      endsAt: new Date(nowMs + INCOMPLETE_MINUTES * MINUTE_MS),
      idleMinutes: INCOMPLETE_MINUTES,
    }
  const isPowerful = facts.platformRole !== null || facts.isOwner
  const hours = Math.min(
    settings.session_hours,
    facts.sessionHours ?? Infinity,
    isPowerful ? POWERFUL.hoursMax : Infinity,
  )
  const idleMinutes = isPowerful ? POWERFUL.idleMinutes : IDLE_MINUTES
  return { endsAt: new Date(nowMs + hours * HOUR_MS), idleMinutes }
}
