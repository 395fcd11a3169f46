import { countedUpTo } from './counted.ts'

export const projects = {
  title: 'Projects',
  sub: 'A project groups keys and can have a spending limit per month (UTC).',
  create: 'New project',
  createButton: 'Create project',
  created: (name: string) => `The project ${name} was created.`,
  columns: { name: 'Project', keys: 'Keys', spent: 'Spent this month (UTC)', created: 'Created' },
  noLimit: 'no limit',
  ofLimitShort: (limit: string) => `of ${limit}`,
  archived: 'Archived',
  archivedColumns: { name: 'Project', on: 'Archived', spent: 'Spent this month (UTC)' },
  none: 'No projects yet.',
  noneText: 'Every key belongs to a project.',
  name: 'Name',
  limit: 'Spending limit per month',
  limitHint:
    'From then on requests with keys of this project are refused until the month ends ' +
    '(UTC). Empty: no limit.',
} as const

export const project = {
  title: 'Project',
  crumb: 'Projects',
  thisMonth: (month: string) => `${month} (UTC)`,
  spent: 'Spent so far',
  left: 'Left until the limit',
  limit: 'Limit',
  overLimit: 'Used up: requests are refused until the month ends.',
  requests: 'Requests',
  usageLink: 'Show usage',
  keys: 'Keys',
  keysLink: 'Show all keys',
  keysColumns: { name: 'Key', shown: 'Begins and ends', used: 'Last used', expires: 'Expires' },
  noKeys: 'No active keys in this project.',
  settings: 'Settings',
  saved: 'The project was changed.',
  id: 'Project id',
  created: 'Created',
  archiveCard: 'Archive',
  archive: 'Archive',
  archiveText:
    'Its keys stop working at the next request, for good. Usage, requests and audit stay.',
  archiveTitle: (name: string) => `Archive ${name}?`,
  archiveDescription: (keys: { readonly count: number; readonly more: boolean }) =>
    countedUpTo(keys, {
      one:
        '# key of this project stops working at the next request, on every process. This ' +
        'cannot be undone.',
      other:
        '# keys of this project stop working at the next request, on every process. This ' +
        'cannot be undone.',
    }),
  archiveNoKeys: 'It has no active keys. New ones cannot be created in it. This cannot be undone.',
  archiveButton: 'Archive project',
  archivedNow: (name: string) => `The project ${name} was archived.`,
  isArchived: (date: string) => `Archived on ${date}. Its keys do not work any more.`,
} as const
