export const operatorPages = {
  own: 'Your organizations',
  title: 'Service',
  overview: 'Overview',
  waiting: 'Waiting list',
  accounts: 'Accounts',
  organizations: 'Organizations',
  engines: 'Engines',
  plans: 'Plans',
  configuration: 'Configuration',
  books: 'Ledger',
  audit: 'Audit',
} as const
