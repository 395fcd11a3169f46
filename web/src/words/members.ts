import { counted, countedUpTo } from './counted.ts'

export const members = {
  title: 'Members',
  people: (count: number, more: boolean) =>
    countedUpTo({ count, more }, { one: '# person', other: '# people' }),
  invitationsCounted: (count: number, more: boolean) =>
    countedUpTo({ count, more }, { one: '# invitation', other: '# invitations' }),
  summary: (people: string, invitations: string | null) =>
    invitations === null ? `${people}.` : `${people}, ${invitations}.`,
  withoutFactor: (count: number) =>
    counted(count, { one: '# has no second factor.', other: '# have no second factor.' }),
  invite: 'Invite',
  columns: {
    member: 'Member',
    role: 'Role',
    factor: 'Second factor',
    keys: 'Keys',
    seen: 'Last active',
    actions: 'Actions',
  },
  you: 'you',
  none: 'None',
  set: 'Set up',
  roleOf: (name: string) => `Role of ${name}`,
  roleIs: (role: string, name: string) => `${role}: role of ${name}`,
  roleChanged: (name: string, role: string) => `${name} is now ${role}.`,
  nowViewer: (name: string) => `${name} is now a viewer. Their API keys stopped working.`,
  actionsFor: (name: string) => `Actions for ${name}`,
  showAudit: 'Show activity',
  leave: 'Leave the organization',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: 'Access ends at the next request. Their usage and audit history stay.',
  removed: (name: string) => `${name} was removed.`,
  noKeys: 'This person has no API keys.',
  stop: (count: number, more: boolean) =>
    countedUpTo(
      { count, more },
      {
        one: '# key of this person stops working at the next request.',
        other: '# keys of this person stop working at the next request.',
      },
    ),
  move: (count: number, more: boolean) =>
    countedUpTo(
      { count, more },
      { one: 'Move it to the organization', other: 'Move all # to the organization' },
    ),
  moveText: 'They keep working and belong to the organization.',
  keysOfPerson: 'Keys of this person',
  andMore: (count: number) => `and ${count} more`,
  ownRoleTitle: (role: string) => `Make yourself ${role}?`,
  ownRoleText: (role: string) =>
    `You keep only the permissions of ${role}. Only someone else can give your role back.`,
  ownRoleButton: 'Change my role',
} as const

export const inviting = {
  title: 'Invite',
  text: 'The person gets a link that works once and for 7 days.',
  email: 'Email address',
  role: 'Role',
  send: 'Invite',
  sent: (email: string) => `An invitation was sent to ${email}.`,
  linkTitle: 'Send this link yourself',
  linkText: (email: string) =>
    `This service sends no email. Give the link to ${email}: it works once, for 7 days, ` +
    'and is not shown again.',
  link: 'Link',
  card: 'Invitations',
  none: 'No pending invitations.',
  foot: 'A link works once and for 7 days.',
  sentBy: (who: string, on: string, until: string) =>
    `Invited by ${who} on ${on}, expires on ${until}`,
  expired: 'Expired',
  operator: 'the operator',
  former: 'a former member',
  resend: 'Resend',
  resent: (email: string) => `A new link was sent to ${email}. The old one no longer works.`,
  withdraw: 'Withdraw',
  withdrawn: (email: string) =>
    `The invitation of ${email} was withdrawn. Its link no longer works.`,
} as const

export const rights = {
  title: 'Permissions of roles',
  table: 'Roles and their permissions',
  may: 'Permission',
  yes: 'yes',
  no: 'no',
  own: 'own',
  rows: {
    'usage:read': 'See usage and requests',
    'keys:write': 'Create, change and revoke keys',
    'playground:use': 'Use the playground',
    'billing:read': 'See billing',
    'audit:read': 'See the audit log',
    'projects:write': 'Projects, spending limits, alerts',
    'members:write': 'Invite, change and remove members',
    'sign-in:write': 'Retention, sign-in, management keys, support',
  },
} as const
