import { counted } from './counted.ts'

export const settings = {
  title: 'Settings',
  tabs: {
    general: 'General',
    retention: 'Retention',
    signIn: 'Sign-in',
    managementKeys: 'Management keys',
    support: 'Support',
  },
} as const

export const general = {
  card: 'Organization',
  name: 'Name',
  nameHint: 'Shown to members and in invitations.',
  saved: 'The organization was renamed.',
  slug: 'Slug',
  slugHint: 'Part of every address. It cannot be changed.',
  id: 'Organization id',
  plan: 'Plan',
  planHint: 'The operator changes it.',
  retention: 'Retention',
  created: 'Created',
  leave: 'Leave this organization',
  leaveText: 'Your keys in it stop working at the next request.',
  leaveLink: 'Go to your organizations',
} as const

export const retention = {
  lead: 'What may be kept of the content of your requests?',
  leadText:
    'Prompts and answers alike. Usage is always counted and has no content. Every ' +
    'response names the value in force in the header {header}.',
  header: 'service-data-retention',
  inForce: 'In force',
  chosenNotInForce: 'Chosen, not in force',
  promise: {
    zero:
      'Nothing is stored once the request completes. Caches in memory, such as an ' +
      'engine’s, may hold it until they drop it.',
    standard: 'Content may be kept under standard retention.',
    contributor:
      'As standard, and it may be used for training under terms that the organization accepted.',
  },
  points: {
    nobody: 'Nobody can read it afterwards',
    untilEnd: 'Kept until the answer has ended',
    noTraining: 'Never used for training',
    encrypted: (name: string) => `Encrypted with a key of ${name}`,
    days: (days: number) => `Kept for ${days} days, then destroyed`,
    terms: (version: string) => `An owner accepts terms ${version}`,
    noTerms: 'The operator offers no terms for it',
  },
  foot: {
    current: 'The value of this organization',
    next: 'Takes effect on the next request',
    readTerms: 'Opens the terms; read them to the end',
    notOffered: 'Not offered here',
    acceptedBy: (date: string, who: string) => `Accepted on ${date} by ${who}`,
    former: 'a former member',
  },
  serviceKeepsNothing:
    'This service keeps no content at all, so zero is in force whatever is chosen.',
  unchanged: 'Choose another value to change it. Takes effect on the next request.',
  onlyOwners: 'Only an owner can change it.',
  keptStays: 'Content kept so far stays until its days are over, or until you destroy it.',
  save: 'Save',
  saved: (value: string) => `Retention is ${value} from the next request on.`,
  termsTitle: (version: string) => `Terms of contributor retention, ${version}`,
  termsText: 'Read them to the end; the button works after that.',
  termsOpen: 'Open the terms',
  termsPoints: (days: number) => [
    `Content of every request from the next one on is kept for ${days} days.`,
    'It may be used for training by the operator, within the terms.',
    'You can go back to another value at any time. What was kept until then stays until ' +
      'its days are over, or until you destroy it.',
    'What was already used for training cannot be taken back.',
  ],
  termsRead: (version: string) =>
    `I have read terms ${version} to the end and accept them for the organization.`,
  accept: 'Accept and change',
} as const

export const kept = {
  card: 'What is kept now',
  none: 'Nothing is kept.',
  records: 'Records',
  days: 'Days',
  oldest: 'Oldest day (UTC)',
  goneBy: 'All gone by (UTC)',
  columns: {
    day: 'Day (UTC)',
    retention: 'Retention',
    records: 'Records',
    gone: 'Destroyed on (UTC)',
  },
  byDay: 'By kind and day',
  atLeast: (records: string) => `${records}+`,
  text: (records: string) =>
    `Destroying reaches all ${records} records at once: their keys are destroyed, and no ` +
    'copy can be read any more. It can’t be undone.',
  destroy: 'Destroy all that is kept',
  destroyTitle: 'Destroy all that is kept?',
  destroyText: (records: string, days: number) =>
    `${records} records of ${counted(days, { one: '# day', other: '# days' })} become ` +
    'unreadable at once, for everybody, in every copy and backup: their encryption keys are ' +
    'destroyed. It can’t be undone.',
  destroyStays: 'Usage, bills and the audit log stay; they hold no content.',
  destroyRunning: 'What is requested from now on is kept as retention says.',
  type: (word: string) => `Type ${word} to confirm`,
  word: 'destroy',
  destroyed: 'All that was kept is destroyed.',
} as const

/** What each scope of a management key allows. */
const scopeTexts: Readonly<Record<string, string>> = {
  'organization:read': 'Read name, plan, models and limits.',
  'organization:write': 'Rename the organization.',
  'projects:read': 'Read projects and what they spent.',
  'projects:write': 'Create, change and archive projects.',
  'keys:read': 'Read keys and their settings, never secrets.',
  'keys:write': 'Create, change, rotate and revoke keys.',
  'usage:read': 'Read and download usage.',
  'requests:read': 'Read requests and why they were refused.',
  'billing:read': 'Read balance, transfers and spending alerts.',
  'billing:write': 'Change spending alerts.',
  'payments:read': 'Read payments.',
  'members:read': 'Read members and invitations.',
  'members:write': 'Invite people, change roles, remove members.',
  'retention:read': 'Read what is kept of requests.',
  'audit:read': 'Read and download the audit log.',
}

export const managementKeys = {
  lead: 'Management keys',
  leadText:
    'A management key lets a program use the management API. It can do what its scopes say, as ' +
    'long as its creator has these permissions.',
  create: 'New management key',
  columns: {
    name: 'Name',
    key: 'Key',
    scopes: 'Scopes',
    creator: 'Created by',
    expires: 'Expires',
    used: 'Last used',
    actions: 'Actions',
  },
  none: 'No management keys yet.',
  noneText: 'A management key lets a program use the management API.',
  never: 'Never',
  revoked: 'Revoked',
  expired: 'Expired',
  former: 'a former member',
  name: 'Name',
  nameHint: 'Shown in lists and in the audit log.',
  expiry: 'Expires after',
  days: (days: number) => counted(days, { one: '# day', other: '# days' }),
  scopes: 'Scopes',
  scopesHint: 'No more than it needs.',
  noScopes: 'Choose at least one scope.',
  presets: { read: 'Read only', keys: 'Manage keys', billing: 'Export usage and billing' },
  scopeTexts,
  createButton: 'Create key',
  createdTitle: 'Copy the key now',
  createdText: 'We keep only its hash, so it can’t be shown again.',
  key: 'Management key',
  example: 'Example',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: 'Programs that use it are refused from the next call on. It can’t be undone.',
  revokedNow: (name: string) => `${name} was revoked.`,
} as const

export const support = {
  lead: 'Support access',
  leadText:
    'The operator’s support sees nothing of this organization unless an owner lets it. ' +
    'It can then read, never change, and each read is in the audit log. Content of ' +
    'requests is never shown.',
  active: (until: string) => `Support can read this organization until ${until}.`,
  inactive: 'Support has no access.',
  grant: 'Grant access',
  grantAgain: 'Grant again',
  end: 'End access',
  endText: 'Takes effect on the next call.',
  ended: 'Support access has ended.',
  granted: 'Support access is granted.',
  grantTitle: 'Grant support access?',
  grantText: 'Support can read keys (never secrets), usage, members, billing and settings.',
  hours: 'For',
  hour: (hours: number) => counted(hours, { one: '# hour', other: '# hours' }),
  reason: 'Reason',
  reasonHint: 'Shown to support and in the audit log.',
  history: 'Granted before',
  columns: { granted: 'Granted', by: 'By', until: 'Until', reason: 'Reason', state: 'State' },
  states: { active: 'Active', ended: 'Ended', over: 'Expired' },
  reads: 'What support read',
  readColumns: { when: 'When', who: 'Who', what: 'What' },
  lasted: (span: string) => `for ${span}`,
  noReads: 'Support has read nothing.',
  former: 'a former member',
} as const
