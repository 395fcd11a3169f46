import { countedUpTo } from './counted.ts'

export const operatorPages = {
  own: 'Your organizations',
  title: 'Service',
  overview: 'Overview',
  waiting: 'Waiting list',
  peopleWait: (count: { readonly count: number; readonly more: boolean }) =>
    countedUpTo(count, { one: '# person waits', other: '# people wait' }),
  accounts: 'Accounts',
  organizations: 'Organizations',
  engines: 'Engines',
  plans: 'Plans',
  configuration: 'Configuration',
  payments: 'Payments',
  vouchers: 'Vouchers',
  ledger: 'Ledger',
  audit: 'Audit',
} as const
