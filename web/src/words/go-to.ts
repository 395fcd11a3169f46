import { counted } from './counted.ts'

export const goTo = {
  title: 'Go to',
  placeholder: 'Page, action, name or request id',
  groups: {
    request: 'Request',
    pages: 'Pages',
    actions: 'Actions',
    keys: 'Keys',
    projects: 'Projects',
    models: 'Models',
    members: 'Members',
    organizations: 'Organizations',
    account: 'Your account',
    operator: 'Operator',
  },
  createKey: 'Create key',
  invite: 'Invite a member',
  themes: {
    light: 'Light theme',
    dark: 'Dark theme',
    system: 'Theme of the system',
  },
  request: (id: string) => `Request ${id}`,
  nothing: 'Nothing was found.',
  results: (count: number) => counted(count, { one: '# result', other: '# results' }),
  hints: [
    ['↑ ↓', 'choose'],
    ['Enter', 'go'],
    ['Esc', 'close'],
  ],
} as const
