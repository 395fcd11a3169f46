import type { Step as LedgerStep } from '../../../src/platform/payments/invoices/steps-between.ts'
import type { Judgement } from '../../../src/platform/payments/judge-payment.ts'
import { isFinalPayment, type PaymentState } from '../../../src/contract/payments/payment-states.ts'
import type { Remote } from './judge-invoice.ts'

/**
 * Processes that take the same invoice: one that was slow or is dead, and one that took over. Each
 * scene is tried with both dead as well.
 */
export const PROCESSES = 2
export const DRAFTS_MAX = 2
const DECISIONS = 1
export type Work =
  | { readonly step: 'idle' | 'find' | 'draft' | 'look' }
  | { readonly step: 'store' | 'read' | 'read again'; readonly at: number }
  | { readonly step: 'act'; readonly at: number; readonly judged: Judgement }
  | { readonly step: 'apply'; readonly facts: Remote | null; readonly at: number | null }

export type Scene = {
  row: PaymentState
  issued: boolean
  ref: number | null
  cancel: boolean
  settle: 'paid' | 'written_off' | null
  due: boolean
  ledger: LedgerStep[]
  /** Whose money each `receive` was. */
  received: ('provider' | 'bank')[]
  drafts: Remote[]
  charged: number
  keys: boolean
  processes: Work[]
  /** Hints that are on their way. */
  events: number
  /** How often an operator may still decide, here or in the provider's dashboard. */
  decisions: number
}

export function begin(): Scene {
  return {
    row: 'created',
    issued: false,
    ref: null,
    cancel: false,
    settle: null,
    due: true,
    ledger: [],
    received: [],
    drafts: [],
    charged: 0,
    keys: true,
    processes: Array.from({ length: PROCESSES }, () => ({ step: 'idle' as const })),
    events: 0,
    decisions: DECISIONS,
  }
}

const OWED: Readonly<Record<LedgerStep, number>> = {
  issue: 1,
  'issue again': 1,
  'expect again': 1,
  receive: -1,
  'write off': -1,
  void: -1,
}

/** What must never be. */
export function wrongIn({ ledger, received, charged, drafts, row, issued, ref }: Scene) {
  if (new Set(ledger).size < ledger.length) return 'an entry twice'
  const owed = ledger.reduce((sum, step) => sum + OWED[step], 0)
  const waits = issued && !isFinalPayment(row)
  if (owed !== (waits ? 1 : 0)) return `owed ${owed} when ${row}`
  if (received.filter((each) => each === 'provider').length > charged) return 'credited for nothing'
  if (charged > 1) return 'paid twice'
  const finalized = drafts.filter((remote) => remote !== 'draft' && remote !== 'gone')
  if (finalized.length > 1) return 'two invoices'
  const stored = ref === null ? 'gone' : drafts[ref]
  if (row === 'expired' && stored === 'open') return 'void here, payable there'
  return undefined
}

const ENDS: Readonly<Record<Remote, readonly PaymentState[]>> = {
  draft: [],
  gone: ['expired'],
  open: ['open'],
  paid: ['succeeded'],
  outside: ['succeeded'],
  void: ['expired', 'failed'],
  uncollectible: ['failed'],
}

/** Whether both sides agree on how it ended, or wait. */
export function isEnd(row: PaymentState, stored: Remote): boolean {
  return ENDS[stored].includes(row)
}
