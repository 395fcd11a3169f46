import type { Route } from '../../../src/platform/api/route.ts'

/**
 * Who may call what, typed from the specification and not from `tenancy/permissions.ts`, so that a
 * mistake there is noticed. `{}` is any parameter. The columns:
 *
 * 1. methods and path
 * 2. who may with a session: `v m a o` are the roles viewer, member, admin and owner, `m:own` only
 *    for their own things; `S P` the platform roles support and operator, `S:consent` only
 *    while an owner lets support read; `self` whoever is signed
 *    in, `active` if their registration is complete, `partial` even without the second factor,
 *    `enrol` the same unless restricted
 * 3. the scope that a management key needs, or `-`; with `+role` it also needs the scopes of the
 *    role that it gives, with `+own` it may not for things of people
 *    (here without email, where a link to a new password would be in the answer)
 * 4. `confirmed` if a confirmation of identity is needed
 */
const TABLE = `
  POST       /sign-ups                                          anyone   -
  POST       /sign-ups/look-up                                  anyone   -
  POST       /sign-ups/complete                                 anyone   -
  POST       /email-verifications                               anyone   -
  POST       /email-verifications/look-up                       anyone   -
  POST       /password-resets                                   anyone   -
  POST       /password-resets/complete                          anyone   -
  POST       /revoked-keys                                      anyone   -
  POST       /sessions                                          anyone   -
  POST       /sessions/link                                     anyone   -
  POST       /sessions/second-factor                            partial  -
  POST       /sessions/passkey                                  anyone   -
  POST       /sessions/passkey/options                          anyone   -
  POST       /sso/lookup                                        anyone   -
  POST       /sso/{}/start                                      anyone   -
  GET        /sso/callback/{}                                   anyone   -
  POST       /sso/{}/backchannel-logout                         anyone   -
  GET        /sessions                                          self     -
  DELETE     /sessions                                          self     -  confirmed
  DELETE     /sessions/{}                                       self     -  confirmed
  DELETE     /sessions/current                                  partial  -
  POST       /sessions/current/confirm                          self     -
  GET,PATCH  /me                                                self     -
  DELETE     /me                                                self     -  confirmed
  GET        /me/export                                         self     -
  PUT        /me/password                                       self     -  confirmed
  POST       /me/email                                          self     -  confirmed
  GET        /me/passkeys                                       self     -
  POST       /me/passkeys                                       enrol    -  confirmed
  POST       /me/passkeys/options                               enrol    -  confirmed
  DELETE     /me/passkeys/{}                                    self     -  confirmed
  POST       /me/totp                                           enrol    -  confirmed
  POST       /me/totp/confirm                                   enrol    -  confirmed
  DELETE     /me/totp                                           self     -  confirmed
  POST       /me/recovery-codes                                 self     -  confirmed
  POST       /me/registration                                   self     -
  GET        /me/organizations                                  self     -
  POST       /invitations/look-up                               anyone   -
  POST       /invitations/join                                  anyone   -
  POST       /invitations/accept                                self     -
  POST       /request-links/open                                anyone   -
  POST       /organizations                                     active   -
  GET        /organizations/{}                                  v m a o  organization:read
  GET        /organizations/{}/overview                         v m a o  organization:read
  GET        /organizations/{}/models                           v m a o  organization:read
  GET        /organizations/{}/limits                           v m a o  organization:read
  GET        /organizations/{}/limits/events                    v m a o  organization:read
  PATCH      /organizations/{}                                  a o      organization:write
  DELETE     /organizations/{}                                  o        -  confirmed
  GET        /organizations/{}/projects                         v m a o  projects:read
  GET        /organizations/{}/projects/{}                      v m a o  projects:read
  POST       /organizations/{}/projects                         a o      projects:write
  PATCH      /organizations/{}/projects/{}                      a o      projects:write
  POST       /organizations/{}/projects/{}/archive              a o      projects:write  confirmed
  GET        /organizations/{}/keys                             v m:own a o  keys:read
  GET        /organizations/{}/keys/{}                          v m:own a o  keys:read
  POST       /organizations/{}/keys                             m:own a o    keys:write
  PATCH      /organizations/{}/keys/{}                          m:own a o    keys:write
  POST       /organizations/{}/keys/{}/rotate                   m:own a:own o:own  keys:write+own
  POST       /organizations/{}/keys/{}/revoke                   m:own a o    keys:write
  POST       /organizations/{}/projects/{}/playground-credentials  m a o  -
  GET        /organizations/{}/usage                            v m:own a o  usage:read
  GET        /organizations/{}/usage/export                     v m:own a o  usage:read
  GET        /organizations/{}/requests                         v m:own a o  requests:read
  GET        /organizations/{}/requests/{}                      v m:own a o  requests:read
  GET        /organizations/{}/requests/{}/minute               v m:own a o  requests:read
  POST       /organizations/{}/requests/{}/links                m:own a o    -
  GET        /organizations/{}/request-links                    v m:own a o  requests:read
  DELETE     /organizations/{}/request-links/{}                 m:own a o    -
  GET        /organizations/{}/balance                          v a o    billing:read
  GET        /organizations/{}/balance/transfers                v a o    billing:read
  GET        /organizations/{}/credits                          v a o    billing:read
  GET        /organizations/{}/statements                       v a o    billing:read
  GET        /organizations/{}/statements/{}/cells              v a o    billing:read
  GET        /organizations/{}/payment-options                  a o      payments:read
  GET        /organizations/{}/payments                         a o      payments:read
  POST       /organizations/{}/payments                         a o      -
  GET        /organizations/{}/payments/{}                      a o      payments:read
  POST       /organizations/{}/payments/{}/check                a o      -
  POST       /organizations/{}/payments/{}/cancel               a o      -
  GET        /organizations/{}/payments/{}/document             a o      -
  POST       /organizations/{}/payment-portal                   a o      -
  GET        /organizations/{}/automatic-top-up                 a o      payments:read
  PUT        /organizations/{}/automatic-top-up                 o        -  confirmed
  POST       /organizations/{}/automatic-top-up/resume          o        -  confirmed
  GET        /organizations/{}/billing-contacts                 a o      billing:write
  PUT        /organizations/{}/billing-contacts                 a o      billing:write  confirmed
  POST       /organizations/{}/vouchers/redeem                  a o      -
  GET,PUT    /organizations/{}/spending-alerts                  a o      billing:write
  POST       /organizations/{}/spending-alerts/test             a o      billing:write
  GET        /organizations/{}/members                          v m a o  members:read
  GET        /organizations/{}/invitations                      v m a o  members:read
  POST       /organizations/{}/invitations                      a o      members:write+role
  DELETE     /organizations/{}/invitations/{}                   a o      members:write
  POST       /organizations/{}/invitations/{}/resend            a o      members:write+role
  PATCH      /organizations/{}/members/{}                       a o      members:write+role
  DELETE     /organizations/{}/members/{}                       a o      members:write
  DELETE     /organizations/{}/members/me                       v m a o  -
  GET        /organizations/{}/retention                        a o      retention:read
  PUT        /organizations/{}/retention                        o        -
  GET        /organizations/{}/kept-content                     a o      retention:read
  DELETE     /organizations/{}/kept-content                     o        -  confirmed
  GET,POST   /organizations/{}/sso-connections                  o        -  confirmed
  GET        /organizations/{}/sso-connections/next             o        -  confirmed
  PATCH,DELETE  /organizations/{}/sso-connections/{}            o        -  confirmed
  GET,POST   /organizations/{}/domains                          o        -  confirmed
  DELETE     /organizations/{}/domains/{}                       o        -  confirmed
  POST       /organizations/{}/domains/{}/verify                o        -  confirmed
  GET,PUT    /organizations/{}/sign-in                          o        -  confirmed
  GET,POST   /organizations/{}/scim-tokens                      o        -  confirmed
  DELETE     /organizations/{}/scim-tokens/{}                   o        -  confirmed
  GET,PUT    /organizations/{}/scim                             o        -  confirmed
  GET,PUT    /organizations/{}/allowed-networks                 o        -  confirmed
  GET,POST   /organizations/{}/management-keys                  o        -  confirmed
  DELETE     /organizations/{}/management-keys/{}               o        -  confirmed
  GET,POST   /organizations/{}/support-access                   o        -
  DELETE     /organizations/{}/support-access                   o        -
  GET        /organizations/{}/audit-events                     v a o    audit:read
  GET        /organizations/{}/audit-events/export              v a o    audit:read
  GET        /organizations/{}/audit-stream                     o        -
  PUT,DELETE /organizations/{}/audit-stream                     o        -  confirmed
  GET        /operator/overview                                 S P      platform:read
  GET        /operator/accounts                                 S P      platform:read
  GET        /operator/accounts/{}                              S P      platform:read
  POST       /operator/accounts/admit                           S P      platform:write
  PATCH      /operator/accounts/{}                              P        platform:write  confirmed
  DELETE     /operator/accounts/{}                              P  platform:write+own  confirmed
  DELETE     /operator/accounts/{}/sessions                     P        platform:write
  DELETE     /operator/accounts/{}/factors                      P  platform:write+own  confirmed
  POST       /operator/accounts/{}/reset-link                   P  platform:write+own  confirmed
  GET        /operator/organizations                            S P      platform:read
  GET        /operator/organizations/{}                         S P      platform:read
  POST       /operator/organizations                            P        platform:write
  PATCH      /operator/organizations/{}                         P        platform:write
  DELETE     /operator/organizations/{}                         P  platform:write+own  confirmed
  DELETE     /operator/organizations/{}/sso-only                P        platform:write  confirmed
  PUT        /operator/organizations/{}/credit-limit            P        platform:write  confirmed
  POST       /operator/organizations/{}/preview                 S P      platform:read
  GET        /operator/organizations/{}/members                 P S:consent  platform:read
  POST       /operator/organizations/{}/owner-invitations       P  platform:write+own  confirmed
  GET        /operator/organizations/{}/transfers               S P      platform:read
  POST       /operator/organizations/{}/transfers               P        platform:write  confirmed
  GET        /operator/organizations/{}/usage                   S P      platform:read
  GET        /operator/requests/{}                              P S:consent  platform:read
  GET,POST   /operator/management-keys                          P        -  confirmed
  DELETE     /operator/management-keys/{}                       P        -  confirmed
  GET        /operator/processes                                S P      platform:read
  GET        /operator/engines                                  S P      platform:read
  PUT        /operator/engines/{}/order                         P        platform:write
  GET        /operator/plans                                    S P      platform:read
  GET        /operator/configuration                            S P      platform:read
  GET        /operator/ledger                                    S P      platform:read
  GET        /operator/reconciliations                          S P      platform:read
  GET        /operator/payments                                 S P      platform:read
  GET        /operator/payments/{}                              S P      platform:read
  POST       /operator/payments/{}/check                        P        platform:write
  POST       /operator/payments/{}/resolve                      P        platform:write  confirmed
  POST       /operator/payments/{}/refunds                      P        platform:write  confirmed
  GET        /operator/disputes                                 S P      platform:read
  GET        /operator/provider-days                            S P      platform:read
  GET        /operator/vouchers                                 S P      platform:read
  POST       /operator/vouchers                                 P        platform:write  confirmed
  DELETE     /operator/vouchers/{}                              P        platform:write  confirmed
  GET        /operator/invoices                                 S P      platform:read
  POST       /operator/invoices/{}/mark-paid                    P        platform:write  confirmed
  POST       /operator/invoices/{}/void                         P        platform:write  confirmed
  POST       /operator/invoices/{}/write-off                    P        platform:write  confirmed
  GET        /operator/audit-events                             S P      platform:read
  GET        /operator/audit-events/export                      P        -
  GET        /operator/audit-stream                             P        -
  PUT,DELETE /operator/audit-stream                             P        -  confirmed
`

export type Specified = {
  /** `GET /organizations/{}/keys` */
  readonly name: string
  readonly who: readonly string[]
  readonly scope: string | null
  readonly givesRole: boolean
  readonly ownOnly: boolean
  readonly confirmed: boolean
}

const LINE = /^(\S+) +(\S+) +(.+?) {2,}(\S+)( +confirmed)?$/

export const SPECIFIED: ReadonlyMap<string, Specified> = new Map(
  TABLE.trim()
    .split('\n')
    .flatMap((text) => {
      const [, methods = '', path = '', who = '', scope = '', confirmed] =
        LINE.exec(text.trim()) ?? []
      if (scope === '') throw new Error(`not a row: ${text}`)
      return methods.split(',').map((method): [string, Specified] => {
        const name = `${method} ${path}`
        const [needed = '', further] = scope.split('+')
        const row = { name, who: who.split(' '), scope: needed === '-' ? null : needed }
        const keys = { givesRole: further === 'role', ownOnly: further === 'own' }
        return [name, { ...row, ...keys, confirmed: confirmed !== undefined }]
      })
    }),
)

export function specifiedName({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
}
