import { counted } from './counted.ts'

export const requestLinks = {
  make: 'Link for support',
  title: 'Link for support',
  text:
    'Whoever has the link sees the explanation of this request without signing in: no content, ' +
    'no names of people, projects or keys. Each link is an event of the audit log.',
  lasts: 'Works for',
  days: (days: number) => counted(days, { one: '# day', other: '# days' }),
  create: 'Create link',
  link: 'link for support',
  once: (end: string) =>
    `Copy it now: it is not shown again. It works until ${end}, or until it is withdrawn.`,
  working: 'Links that work',
  all: 'Links for support',
  allText: 'Each shows one request to whoever has it. Members see the links that they made.',
  none: 'No link works at the moment.',
  requestOf: (end: string) => `Request …${end}`,
  until: (end: string) => `Works until ${end}`,
  made: (name: string | undefined, time: string) =>
    name === undefined ? `Created ${time}` : `Created by ${name}, ${time}`,
  withdraw: 'Withdraw',
  withdrawn: 'The link was withdrawn.',
  page: {
    loading: 'Request',
    goneTitle: 'This link does not work.',
    goneText:
      'It was withdrawn or has ended, the request is no longer kept, or the organization shows ' +
      'its requests only in its own networks. Ask whoever sent it for another.',
    toConsole: 'To the console',
    of: (organization: string, end: string) =>
      `A request of ${organization}. This link works until ${end}.`,
    noContent: 'Shown without content and names.',
    byKey: (last4: string) => `With the API key that ends in ${last4}.`,
    byUnknown: 'With an API key.',
    byPlayground: 'From the playground.',
    key: (last4: string) => `… ${last4}`,
  },
} as const
