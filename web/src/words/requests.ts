import type { Outcome } from '../pages/requests/search.ts'

const outcomes: Readonly<Record<Outcome, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  abandoned: 'Cancelled',
  lost: 'Lost',
  refused: 'Refused',
}

export const requests = {
  title: 'Requests',
  sub: 'Newest first. Refusals are kept for 7 days.',
  sorted:
    'The highest of the newest 2,000 requests first, without refusals. Press the heading ' +
    'again for the newest first.',
  caption: 'Requests, newest first',
  what: 'Request',
  outcomes,
  filters: { ...outcomes, errors: 'Failed or refused' },
  columns: {
    time: (zone: string) => `Time, ${zone}`,
    id: 'Request id',
    model: 'Model',
    key: 'Key',
    outcome: 'Outcome',
    input: 'Input',
    output: 'Output',
    cost: 'Cost',
    firstToken: 'First token',
    duration: 'Duration',
  },
  status: 'Status',
  playground: 'Playground',
  periodName: 'period',
  period: (from: string, to: string) => `${from} to ${to}`,
  pasteId: 'Paste a request id',
  notAnId: 'A request id has 32 digits in five groups, as in the header x-request-id.',
  empty: 'No requests yet.',
  emptyText: 'Create a key and send a request; it appears here within seconds.',
  emptyFiltered: 'No request matches these filters.',
  emptyFilteredText: 'Remove filters, or paste the id of the request.',
} as const
