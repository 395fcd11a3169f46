import type { OperatorOverview } from '../api/routes.ts'
import { counted, countedUpTo } from './counted.ts'

type Problem = OperatorOverview['problems'][number]

/** What is wrong, and what it means for the service. */
const problems: Readonly<Record<Problem, { readonly title: string; readonly text: string }>> = {
  usage_log_unreachable: {
    title: 'Valkey is unreachable.',
    text: 'Limits and running requests are unknown right now.',
  },
  usage_not_posted: {
    title: 'Usage is posted late.',
    text: 'The oldest record has waited for more than 5 minutes. Check that a worker runs.',
  },
  usage_rejected: {
    title: 'Usage records were rejected.',
    text: 'They are set aside and not billed. The log of the worker says why.',
  },
  ledger_unbalanced: {
    title: 'The ledger does not sum to zero.',
    text: 'Do not bill from it before the difference is explained.',
  },
  reconciliation_differs: {
    title: 'Usage differs from what was counted elsewhere.',
    text: 'Compare the hours listed in the ledger.',
  },
  process_unreachable: {
    title: 'A process does not answer.',
    text: 'What it does is not in the figures below.',
  },
  configuration_differs: {
    title: 'Processes run with different configurations.',
    text: 'Reload those that have an old file.',
  },
  engine_unhealthy: {
    title: 'An engine is ejected.',
    text: 'No requests are sent to it until a trial succeeds.',
  },
  engine_incapable: {
    title: 'An engine lacks a capability.',
    text: 'Requests that need it fail there.',
  },
}

export const operator = {
  problems,
  showEngines: 'Show engines',
  showProcesses: 'Show processes',
  showLedger: 'Show ledger',
  overview: {
    title: 'Operator overview',
    sub: (processes: number, organizations: string) =>
      `${counted(processes, { one: '# process', other: '# processes' })}, ${organizations}.`,
    organizations: (count: number, more: boolean) =>
      countedUpTo({ count, more }, { one: '# organization', other: '# organizations' }),
    findRequest: 'Find a request',
    requestId: 'Request id',
    requestHint: 'The x-request-id of an answer. Any organization.',
    find: 'Find',
    now: 'Now',
    allWell: 'Nothing needs attention.',
    enginesUnknown: 'No problem was found, but no process reported the state of its engines.',
    running: 'Running requests',
    runningNote: 'Not settled yet',
    slots: 'Slots in use',
    ofSlots: (slots: string) => `of ${slots}`,
    slotsNote: (processes: number) =>
      counted(processes, { one: 'On # process', other: 'On # processes' }),
    lag: 'Worker lag',
    lagNote: (records: string) => `${records} records to post`,
    waiting: 'Sign-ups waiting',
    waitingNote: 'Oldest first',
    processes: 'Processes',
    allReachable: 'All answer',
    unreachable: (count: number) => `${count} unreachable`,
    rejected: 'Rejected records',
    rejectedNote: 'Set aside',
    checks: 'Checks',
    moreThan: (count: string) => `more than ${count}`,
    waitingList: 'Waiting list',
    all: (count: string) => `All ${count}`,
    admitFoot: 'Admitting sends an email and is written to the audit log.',
    nobodyWaits: 'Nobody is waiting.',
    withoutOrganization: (count: number) =>
      counted(count, {
        one: '# admitted person is in no organization:',
        other: '# admitted people are in no organization:',
      }),
    andMore: (count: number) => `and ${count} more`,
    processList: 'Processes',
    processesFoot: 'Named in console.api_health_urls.',
  },
  traffic: {
    title: 'Traffic',
    meta: 'Last minute, all processes',
    requests: 'Requests/s',
    tokens: 'Output tokens/s',
    refusals: 'Errors in the last minute',
    none: 'None',
  },
  checks: {
    ledgerZero: 'Ledger sums to zero',
    ledgerOff: 'Ledger does not sum to zero',
    ledgerUnknown: 'Ledger was not summed yet',
    reconciled: 'Reconciled with other counts',
    notReconciled: 'No reconciliation yet',
    differs: (count: number) => counted(count, { one: '# hour differs', other: '# hours differ' }),
    sameConfiguration: 'Same configuration',
    otherConfiguration: (count: number) => `${count} configured differently`,
    ofProcesses: (same: number, all: number) => `${same} of ${all}`,
    enginesUnknown: 'State of the engines not known',
    enginesHealthy: 'All engines healthy',
    enginesUnhealthy: (count: number) =>
      counted(count, { one: '# engine ejected', other: '# engines ejected' }),
    enginesCapable: 'No capability missing',
    enginesIncapable: (count: number) =>
      counted(count, {
        one: '# engine misses a capability',
        other: '# engines miss a capability',
      }),
    processesReachable: 'All processes answer',
    processesUnreachable: (count: number) =>
      counted(count, { one: '# process unreachable', other: '# processes unreachable' }),
  },
  engines: {
    kind: 'Kind',
    processes: 'Processes',
    process: 'Process',
    state: 'State',
    answers: 'Answers',
    unreachable: 'Unreachable',
    thisProcess: 'This console',
    version: 'Version',
    started: 'Started',
    configuration: 'Configuration',
    differs: 'Differs',
    kinds: { api: 'API', worker: 'Worker', console: 'Console' },
  },
  waiting: {
    title: 'Waiting list',
    sub: 'People who signed up, oldest first. Admitting sends an email.',
    what: 'The waiting list',
    caption: 'Accounts that wait to be admitted, oldest first',
    address: 'Email address',
    domain: 'Domain',
    since: 'Waiting since',
    verified: 'Address',
    isVerified: 'Verified',
    notVerified: 'Not verified',
    choose: 'Choose',
    chooseOne: (email: string) => `Choose ${email}`,
    chooseAll: 'Choose all shown',
    actions: 'Actions',
    admit: 'Admit',
    admitWho: (email: string) => `Admit ${email}`,
    admitMany: (count: number) => `Admit ${count}`,
    admitTitle: (who: string) => `Admit ${who}?`,
    people: (count: number) => counted(count, { one: '# person', other: '# people' }),
    admitText: 'They can sign in from now on, and each gets an email.',
    admitOneText: 'This person can sign in from now on, and gets an email.',
    withOrganization: 'Create an organization with this person as its owner',
    unverified: 'The address is not verified: somebody else may have typed it.',
    unverifiedMany: (count: number) =>
      counted(count, {
        one: '# of the addresses is not verified: somebody else may have typed it.',
        other: '# of the addresses are not verified: somebody else may have typed them.',
      }),
    note: 'Note',
    noteHint: 'Why. It is kept in the audit log.',
    admitted: (count: number) =>
      counted(count, { one: '# person admitted.', other: '# people admitted.' }),
    skipped: (count: number) => `${count} were not waiting any more.`,
    refuse: 'Refuse',
    refuseWho: (email: string) => `Refuse ${email}`,
    refuseTitle: (email: string) => `Refuse ${email}?`,
    refuseText:
      'The account becomes restricted: the person sees one sentence and your contact. ' +
      'No email is sent. You can activate the account later.',
    refused: (email: string) => `${email} was refused.`,
    empty: 'Nobody is waiting.',
    emptyText: 'People who sign up appear here until you admit or refuse them.',
  },
  audit: {
    title: 'Service audit log',
    sub: 'Every change, of operators and of all organizations, newest first.',
    supportSub: 'Changes outside of organizations. Those of one need the consent of an owner.',
    organization: 'Organization (slug or id)',
    inOrganization: 'Organization',
    account: 'Account',
  },
} as const
