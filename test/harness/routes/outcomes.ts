/**
 * Errors that an allowed caller may get because an example cannot succeed: it needs a password, a
 * link of an e-mail, an authenticator or an identity provider. Those have tests of their own.
 */
export const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  'POST /sign-ups': ['invalid_value'],
  'POST /sign-ups/look-up': ['invalid_value'],
  'POST /sign-ups/complete': ['invalid_value'],
  'POST /email-verifications': ['invalid_value'],
  'POST /email-verifications/look-up': ['invalid_value'],
  'POST /password-resets/complete': ['invalid_value'],
  'POST /sessions': ['invalid_login', 'too_many_attempts'],
  'POST /sessions/link': ['invalid_value'],
  'POST /sessions/passkey': ['invalid_login'],
  'POST /sessions/second-factor': ['conflict', 'invalid_login', 'too_many_attempts'],
  'POST /sessions/current/confirm': ['invalid_login', 'too_many_attempts'],
  'PUT /me/password': ['invalid_login', 'too_many_attempts'],
  'POST /me/email': ['conflict'],
  'POST /me/totp/confirm': ['conflict', 'invalid_value', 'invalid_login', 'not_found'],
  'POST /me/passkeys': ['invalid_value', 'invalid_login'],
  'POST /me/recovery-codes': ['conflict'],
  'DELETE /me/totp': ['not_found', 'conflict'],
  'POST /me/registration': ['already_exists', 'platform_access_required'],
  'POST /invitations/look-up': ['not_found'],
  'POST /invitations/accept': ['invalid_value', 'not_found'],
  'POST /sso/{connection}/start': ['service_unavailable'],
  'GET /sso/callback/{connection}': ['invalid_value'],
  'POST /sso/{connection}/backchannel-logout': ['invalid_value'],
  'DELETE /organizations/{organization}/support-access': ['not_found'],
  'POST /organizations/{organization}/sso-connections': ['invalid_value'],
  'PATCH /organizations/{organization}/sso-connections/{connection}': ['invalid_value'],
  'POST /organizations/{organization}/domains/{domain}/verify': ['conflict', 'service_unavailable'],
}
