// Figures between asterisks are shown in bold.

export const requestMinute = {
  title: 'In the same minute',
  what: 'The minute of the request',
  meta: (from: string) => `From ${from}`,
  most: {
    queued: (part: string, whole: string) =>
      `Of its *${whole}* the longest part was the wait for a slot: *${part}*.`,
    reading: (part: string, whole: string) =>
      `Of its *${whole}* the longest part was from its slot to the first token: *${part}*.`,
    answer: (part: string, whole: string) =>
      `Of its *${whole}* the longest part was the answer, from the first token on: *${part}*.`,
  },
  notTimed: 'Its times are not known.',
  longer: (median: string) =>
    `It took longer than the median of this model in the minute, *${median}*.`,
  shorter: (median: string) =>
    `It took no longer than the median of this model in the minute, *${median}*.`,
  table: 'This request beside the median of its model',
  part: 'Time',
  own: 'This request',
  median: (count: string) => `Median of ${count}`,
  rows: {
    queued_ms: 'Waited for a slot',
    first_token_ms: 'First token',
    duration_ms: 'Duration',
  },
  facts: {
    began: 'Requests that began',
    newest: (count: string) => `more than ${count}; the newest ${count} are compared`,
    unfinished: 'Failed, cancelled or lost',
    refused: 'Refused',
    engines: 'States of the engines',
  },
  notKnown: 'not known',
  notStored: 'not known: they are not stored',
} as const
