export const shell = {
  goTo: 'Go to…',
  mainNavigation: 'Main',
  menu: 'Menu',
  plan: (plan: string) => `Plan: ${plan}`,
  operatorArea: 'Operator',
  supportSubtitle: 'Support access',
  account: 'Your account',
  signOut: 'Sign out',
  language: 'Language',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  shortcuts: 'Keyboard shortcuts',
  help: 'Help',
  docs: 'Documentation',
  status: 'Status of the service',
  live: (time: string) => `Live · ${time}`,
  asOf: (time: string) => `As of ${time}`,
  observe: 'Observe',
  manage: 'Manage',
  newOrganization: 'New organization',
  pages: {
    overview: 'Overview',
    keys: 'API keys',
    playground: 'Playground',
    usage: 'Usage',
    requests: 'Requests',
    limits: 'Limits',
    models: 'Models',
    billing: 'Billing',
    projects: 'Projects',
    members: 'Members',
    audit: 'Audit',
    settings: 'Settings',
  },
} as const

export const sessionEnded = {
  title: 'Your session has ended',
  text: (email: string) => `Sign in again as ${email} in a new tab.`,
  kept: 'What you typed is kept. This page goes on as soon as you are signed in.',
  signIn: 'Sign in again',
  drop: 'Discard what I typed',
} as const

export const refusedStrip = {
  reasons: {
    suspended: 'The operator suspended this organization. Requests get 403. The reason:',
    no_balance: 'Nothing is left of the balance. Requests get 402 until money is added.',
    no_credit:
      'The credit limit is used up. Requests get 402 until an invoice is paid or the limit is ' +
      'raised.',
    exhausted: 'The operator declared the balance used up. Requests get 402.',
    conflict: 'The operator is changing the billing of this organization. Requests get 409.',
    overdue: 'An invoice is overdue. Requests get 402 until it is paid.',
  },
  addMoney: 'Add money',
  billing: 'Open billing',
  ask: (organization: string) => `Ask an owner or an admin of ${organization}.`,
} as const

export const supportBar = {
  name: 'Support access',
  text: (organization: string, until: string) =>
    `You read ${organization} with support access until ${until}. Its owners see what you read.`,
  leave: 'Leave',
} as const
