import { counted } from './counted.ts'

export const rules = {
  card: 'Rules',
  text: 'They apply to every member from the next call of their sessions.',
  ssoOnly: 'Only SSO',
  ssoOnlyText:
    'Members sign in with an identity provider of this organization; sessions that began ' +
    'with a password or a passkey end.',
  secondFactor: 'Second factor for all',
  secondFactorText:
    'Members sign in with a passkey, a one-time code or the identity provider; without ' +
    'one they set it up first.',
  sessionHours: 'Longest session, in hours',
  sessionHoursText: 'Then members sign in again. Empty: as long as the service allows.',
  save: 'Save',
  saved: 'The sign-in rules were changed.',
  title: 'Change how members sign in?',
  consequences: {
    ssoOnly:
      'Members who did not sign in with the identity provider are asked to do so at their ' +
      'next call.',
    noSsoOnly: 'Members may sign in with password or passkey again.',
    secondFactor: 'Members without a second factor have to set one up before they go on.',
    noSecondFactor: 'Members may sign in with a password alone.',
    sessionHours: (hours: number | null) =>
      hours === null
        ? 'Sessions last as long as the service allows.'
        : counted(hours, {
            one: 'Sessions that are older than # hour end now.',
            other: 'Sessions that are older than # hours end now.',
          }),
  },
  change: 'Change rules',
} as const

export const connections = {
  card: 'Identity providers (OpenID Connect)',
  none: 'No identity provider yet.',
  noneText: 'With one, members sign in with the account of your company.',
  add: 'Add provider',
  addTitle: 'Add an identity provider',
  addText:
    'Register an application at the provider with this redirect URI. It gives you a client id ' +
    'and a secret to enter here.',
  added: (name: string) => `${name} was added. “Test” shows whether it answers.`,
  changeTitle: (name: string) => `Change ${name}`,
  name: 'Name',
  nameHint: 'Shown on the sign-in page.',
  issuer: 'Issuer',
  issuerHint: 'The https address below which /.well-known/openid-configuration is.',
  clientId: 'Client id',
  clientSecret: 'Client secret',
  secretHint: 'Stored encrypted, never shown again.',
  secretKeep: 'Leave empty to keep the current one.',
  role: 'Role of new people',
  roleHint: 'For people who sign in for the first time.',
  save: 'Save',
  changed: (name: string) => `${name} was changed.`,
  redirect: 'Redirect URI',
  logout: 'Back-channel logout URI',
  logoutHint: 'Optional. With it, people who sign out at the provider are signed out here, too.',
  redirectHint:
    'Register it at the provider, exactly as it is. It belongs to this connection only.',
  test: 'Test',
  testHint: (name: string) => `Goes to ${name} and comes back with this session confirmed.`,
  edit: 'Change',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    'People can no longer sign in with it, from the next attempt on. Sessions that began ' +
    'with it go on until they end. If only SSO is allowed and this is the last provider, ' +
    'nobody can sign in.',
  removed: (name: string) => `${name} was removed.`,
} as const

export const provisioning = {
  card: 'Provisioning (SCIM 2.0)',
  text:
    'Your identity provider creates members and ends their memberships by itself. It decides ' +
    'only about addresses in your verified domains.',
  baseUrl: 'Base URL',
  tokens: 'Tokens',
  none: 'No tokens yet.',
  create: 'New token',
  createTitle: 'New SCIM token',
  createText: 'With it, an identity provider manages the members of this organization.',
  name: 'Name',
  nameHint: 'Shown in lists and in the audit log.',
  createButton: 'Create token',
  createdTitle: 'Copy the token now',
  createdText: 'We keep only its hash, so it can’t be shown again.',
  token: 'SCIM token',
  never: 'Never used',
  used: 'Last used',
  revoked: 'Revoked',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: 'From its next call on the provider can change nothing. Members stay.',
  revokedNow: (name: string) => `${name} was revoked.`,
} as const

export const groupRoles = {
  card: 'Roles of groups',
  text:
    'Members of a group of your provider get this role; of several the highest counts. Others ' +
    'join as members.',
  none: 'No group gives a role.',
  group: 'Group',
  role: 'Role',
  add: 'Add group',
  remove: (group: string) => `Remove ${group}`,
  newGroup: 'the new group',
  save: 'Save',
  saved: 'The roles of groups were changed.',
  title: 'Change the roles of groups?',
  change: 'Change roles',
  consequence: 'Members of these groups have their new role at their next call.',
  owners: 'Whoever manages groups at your provider can make owners.',
} as const

export const networks = {
  card: 'Allowed networks',
  text:
    'Members, keys of any kind, SCIM and the playground are refused from any other network. ' +
    'Empty: no restriction.',
  list: 'Networks, one per line',
  placeholder: '192.0.2.0/24',
  save: 'Save',
  saved: 'The allowed networks were changed.',
  title: 'Change the allowed networks?',
  restrict: 'Calls from any other network are refused from now on, those of API keys too.',
  lift: 'Members and keys may call from any network.',
  change: 'Change networks',
} as const

export const domains = {
  card: 'Domains',
  text:
    'People whose address is at a verified domain are sent to your identity provider ' +
    'when they sign in.',
  add: 'Add domain',
  domain: 'Domain',
  placeholder: 'example.com',
  added: (domain: string) => `${domain} was added. Set the DNS record to verify it.`,
  verified: 'Verified',
  waiting: 'Not verified',
  missing: 'Record missing',
  setRecord: 'Set this record at your DNS provider, then verify. It can take minutes to be seen.',
  recordName: 'Name',
  recordType: 'Type',
  recordValue: 'Value',
  verify: 'Verify',
  isVerified: (domain: string) => `${domain} is verified.`,
  remove: 'Remove',
  removeTitle: (domain: string) => `Remove ${domain}?`,
  removeText:
    'People at this domain are no longer sent to your identity provider, and nobody new ' +
    'can join through it.',
  removed: (domain: string) => `${domain} was removed.`,
} as const
