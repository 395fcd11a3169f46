const SSO_PREFIX = 'sso:'

/**
 * A passkey is one, because it verifies its user. An identity provider is none: only the
 * organization that chose it trusts it.
 */
const SECOND_FACTORS: readonly string[] = ['passkey', 'totp', 'recovery_code']

export function hasSecondFactor(methods: readonly string[]): boolean {
  return methods.some((method) => SECOND_FACTORS.includes(method))
}

export function ssoMethod(connectionId: string): string {
  return `${SSO_PREFIX}${connectionId}`
}

/** The connections with which a session was opened or confirmed. */
export function connectionsOf(methods: readonly string[]): string[] {
  return methods
    .filter((method) => method.startsWith(SSO_PREFIX))
    .map((method) => method.slice(SSO_PREFIX.length))
}
