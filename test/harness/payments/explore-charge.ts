import type { PaymentFacts } from '../../../src/payments/provider.ts'
import { judgePayment, type Judgement } from '../../../src/platform/payments/judge-payment.ts'
import { isFinalPayment, type PaymentState } from '../../../src/contract/payments/payment-states.ts'

/** Mistakes that the search must find. */
export type ChargeMistake =
  | 'a hint credits'
  | 'the credit is not tied to the payment'
  | 'nobody reads without a hint'
  | 'the card is charged before the reference is stored'
  | 'an invoice replaces another one'
  | 'a new key for each attempt'
  | 'a decline ends it before it is void'
  | 'what waits for the customer is over'

/** Processes that take the same charge: one that was slow, and one that took over. */
const PROCESSES = 2
const COPIES = 2
const CRASHES = 2
const INVOICES_MAX = 2
/** Enough for one process to finish undisturbed. */
const STEPS_MAX = 12

type Remote = 'open' | 'paid' | 'declined' | 'needs_customer' | 'expired'
type Work =
  | { readonly step: 'idle' | 'write' | 'look' | 'find' }
  | { readonly step: 'store' | 'pay' | 'read' | 'end'; readonly invoice: number }
  | { readonly step: 'apply'; readonly facts: Remote | null }

type Scene = {
  row: PaymentState
  /** The stored invoice: its place among the invoices. */
  ref: number | null
  cancel: boolean
  failure: boolean
  due: boolean
  transfers: number
  invoices: Remote[]
  charged: number
  /** How often the bank was asked while the provider still knew the key. */
  asked: number
  /** The provider has answered under the key of the payment of an invoice. */
  answered: boolean
  keys: boolean
  old: boolean
  processes: Work[]
  events: number[]
  seen: boolean[]
  crashes: number
}

type Step = readonly [name: string, scene: Scene]

function begin(): Scene {
  return {
    row: 'created',
    ref: null,
    cancel: false,
    failure: false,
    due: true,
    transfers: 0,
    invoices: [],
    charged: 0,
    asked: 0,
    answered: false,
    keys: true,
    old: false,
    processes: Array.from({ length: PROCESSES }, () => ({ step: 'idle' as const })),
    events: [0, 0],
    seen: [false, false],
    crashes: CRASHES,
  }
}

function after(scene: Scene, name: string, edit: (copy: Scene) => void): Step {
  const copy = structuredClone(scene)
  edit(copy)
  return [name, copy]
}

function* stepsFrom(scene: Scene, mistake?: ChargeMistake): Generator<Step> {
  for (let at = 0; at < PROCESSES; at += 1) yield* work(scene, at, mistake)
  for (const [invoice, remote] of scene.invoices.entries())
    if (remote === 'needs_customer')
      yield after(scene, `customer confirms ${invoice}`, (s) => receive(s, invoice))
  for (const [invoice, left] of scene.events.entries())
    if (left > 0)
      yield after(scene, `deliver ${invoice}`, (s) => {
        s.events[invoice]! -= 1
        note(s, invoice, mistake)
      })
  if (!scene.old) yield after(scene, 'a day passes', (s) => (s.old = true))
  if (scene.old && scene.keys) yield after(scene, 'keys are forgotten', (s) => (s.keys = false))
  if (!scene.cancel && scene.row === 'open')
    yield after(scene, 'somebody cancels', (s) => (s.cancel = true))
  if (scene.crashes > 0 && scene.processes.some(({ step }) => step !== 'idle'))
    yield after(scene, 'crash', (s) => {
      s.crashes -= 1
      s.processes = s.processes.map(() => ({ step: 'idle' }))
    })
}

/** One process: takes the charge, writes and stores its invoice, pays it, reads it, applies. */
function* work(scene: Scene, at: number, mistake?: ChargeMistake): Generator<Step> {
  const mine = scene.processes[at]!
  const go = (name: string, next: Work, edit: (s: Scene) => void = () => {}) =>
    after(scene, `${name} (${at})`, (s) => {
      s.processes[at] = next
      edit(s)
    })
  switch (mine.step) {
    case 'idle': {
      const sweeps = mistake !== 'nobody reads without a hint' && !isFinalPayment(scene.row)
      if (!scene.due && !sweeps) return
      const isNew = scene.ref === null && scene.row === 'created' && !scene.cancel && !scene.old
      const step = scene.ref === null ? (isNew ? 'write' : 'find') : 'look'
      return void (yield go('take', { step }, (s) => (s.due = false)))
    }
    case 'write': {
      const known = scene.keys && scene.invoices.length > 0
      if (!known && scene.invoices.length === INVOICES_MAX) return
      const invoice = known ? 0 : scene.invoices.length
      const early = mistake === 'the card is charged before the reference is stored'
      const next = { step: early ? 'pay' : 'store', invoice } as const
      return void (yield go('write', next, (s) => (known ? 0 : s.invoices.push('open'))))
    }
    case 'store':
      return void (yield store(scene, at, mine.invoice, mistake))
    case 'find':
      return void (yield go(
        'find',
        scene.invoices.length > 0 ? { step: 'look' } : nothing(),
        (s) => {
          if (s.invoices.length === 0) return
          s.ref ??= 0
          s.cancel = true
        },
      ))
    case 'look':
      return void (yield go('look', { step: 'read', invoice: scene.ref ?? 0 }))
    case 'pay':
      return void (yield* pay(scene, at, mine.invoice, mistake))
    case 'read':
      return void (yield read(scene, at, mine.invoice, mistake))
    case 'end':
      return void (yield go('end', { step: 'read', invoice: mine.invoice }, (s) => {
        if (s.invoices[mine.invoice] !== 'paid') s.invoices[mine.invoice] = 'expired'
      }))
    case 'apply':
      return void (yield go('apply', { step: 'idle' }, (s) => apply(s, mine.facts, mistake)))
  }
}

function nothing(): Work {
  return { step: 'apply', facts: null }
}

function store(scene: Scene, at: number, invoice: number, mistake?: ChargeMistake): Step {
  const replaces = mistake === 'an invoice replaces another one'
  return after(scene, `store (${at})`, (s) => {
    const waits = s.row === 'created' && s.ref === null && !s.cancel
    if (waits || (replaces && !isFinalPayment(s.row))) {
      s.ref = invoice
      s.row = 'open'
    } else if (s.ref !== invoice && s.invoices[invoice] !== 'paid') s.invoices[invoice] = 'expired'
    s.processes[at] = s.ref === null ? { step: 'find' } : { step: 'look' }
  })
}

function* pay(scene: Scene, at: number, invoice: number, mistake?: ChargeMistake): Generator<Step> {
  const remote = scene.invoices[invoice]
  const early = mistake === 'the card is charged before the reference is stored'
  const next: Work = { step: early && scene.ref === null ? 'store' : 'read', invoice }
  const repeated = scene.answered && scene.keys && mistake !== 'a new key for each attempt'
  const isAsked = !repeated && (remote === 'open' || remote === 'declined')
  for (const result of isAsked ? (['paid', 'declined', 'needs_customer'] as const) : [null])
    yield after(scene, `pay: ${result ?? 'as before'} (${at})`, (s) => {
      s.processes[at] = next
      if (result === null) return
      if (s.keys) s.asked += 1
      s.answered = true
      if (result === 'paid') receive(s, invoice)
      else s.invoices[invoice] = result
    })
}

function receive(scene: Scene, invoice: number): void {
  scene.invoices[invoice] = 'paid'
  scene.charged += 1
  scene.events[invoice] = COPIES
}

function read(scene: Scene, at: number, invoice: number, mistake?: ChargeMistake): Step {
  return after(scene, `read (${at})`, (s) => {
    const facts = s.invoices[invoice]!
    const judged = judge(s, facts)
    const early = mistake === 'a decline ends it before it is void' && facts === 'declined'
    if (early) s.processes[at] = { step: 'apply', facts }
    else if (judged.kind === 'pay') s.processes[at] = { step: 'pay', invoice }
    else if (judged.kind === 'cancel') {
      s.failure ||= judged.failure !== null
      s.processes[at] = { step: 'end', invoice }
    } else s.processes[at] = { step: 'apply', facts }
  })
}

function apply(scene: Scene, facts: Remote | null, mistake?: ChargeMistake): void {
  if (facts === null) {
    if (scene.row === 'created') scene.row = 'expired'
    return
  }
  if (mistake === 'a decline ends it before it is void' && facts === 'declined')
    return void (scene.row = 'failed')
  if (mistake === 'what waits for the customer is over' && facts === 'needs_customer')
    return void (scene.row = 'expired')
  const judged = judge(scene, facts)
  const again = mistake === 'the credit is not tied to the payment' && facts === 'paid'
  if (again || (judged.kind === 'move' && judged.to === 'succeeded')) credit(scene)
  else if (judged.kind === 'move') scene.row = judged.to
}

function credit(scene: Scene): void {
  scene.transfers += 1
  scene.row = 'succeeded'
}

/** The function of the service, on the facts of the model. */
function judge(scene: Scene, remote: Remote): Judgement {
  const now = new Date(0)
  const owner = { organizationId: 'organization', customer: 'customer', live: false }
  const money = { currency: 'USD', net: 1, tax: 0, total: 1, asked: 1, outside: false }
  const times = { dueAt: null, paidAt: null }
  const papers = { url: null, moneyRef: null, invoiceRef: null, documentUrl: null }
  const facts: PaymentFacts = {
    ref: 'ref',
    state: remote,
    paymentId: 'payment',
    ...owner,
    ...money,
    received: remote === 'paid' ? 1 : 0,
    ...times,
    ...papers,
    savedCard: null,
    failure: remote === 'declined' ? 'generic_decline' : null,
  }
  const createdAt = scene.old ? new Date(-24 * 3_600_000) : now
  const failure = scene.failure ? 'generic_decline' : null
  const row = { id: 'payment', kind: 'automatic', state: scene.row, amount: 1 } as const
  const wanted = { cancel: scene.cancel, failure, totalMax: 1, createdAt, currency: 'USD' }
  const none = { tax: null, settle: null }
  return judgePayment({ ...row, ...owner, ...wanted, ...none }, facts, now)
}

/** A hint makes the charge due, and nothing else. */
function note(scene: Scene, invoice: number, mistake?: ChargeMistake): void {
  const repeated = scene.seen[invoice]
  scene.seen[invoice] = true
  if (mistake === 'a hint credits') credit(scene)
  if (!repeated && scene.ref === invoice) scene.due = true
}

/** What is wrong now, or will be when one process goes on undisturbed. */
function faultOf(scene: Scene, mistake?: ChargeMistake): string | undefined {
  if (scene.transfers > 1) return 'credited twice'
  if (scene.transfers > scene.charged) return 'credited without money'
  if (scene.charged > 1) return 'charged twice'
  if (scene.asked > 1) return 'the bank was asked twice'
  const stored = scene.ref === null ? 'expired' : scene.invoices[scene.ref]
  const isOver = scene.row === 'failed' || scene.row === 'expired'
  if (isOver && stored !== 'expired' && stored !== 'paid') return 'over here, payable there'
  let rest = structuredClone(scene)
  rest.old = true
  rest.processes = rest.processes.map(() => ({ step: 'idle' }))
  for (const [invoice, remote] of rest.invoices.entries())
    if (remote === 'paid' && mistake !== 'nobody reads without a hint') note(rest, invoice, mistake)
  for (let step = 0; step < STEPS_MAX; step += 1) rest = [...work(rest, 0, mistake)][0]?.[1] ?? rest
  if (rest.transfers > 1) return 'credited twice'
  if (rest.transfers < rest.charged) return 'charged, never credited'
  return isFinalPayment(rest.row) || mistake !== undefined ? undefined : 'never over'
}

/** Tries every order. Ends at the first fault, with the steps that led to it. */
export function exploreCharge(mistake?: ChargeMistake) {
  const first = begin()
  const paths = new Map<string, readonly string[]>([[JSON.stringify(first), []]])
  const queue = [first]
  for (let scene = queue.pop(); scene !== undefined; scene = queue.pop()) {
    const path = paths.get(JSON.stringify(scene)) ?? []
    const broken = faultOf(scene, mistake)
    if (broken !== undefined) return { states: paths.size, broken, path }
    for (const [name, next] of stepsFrom(scene, mistake)) {
      const text = JSON.stringify(next)
      if (paths.has(text)) continue
      paths.set(text, [...path, name])
      queue.push(next)
    }
  }
  return { states: paths.size, broken: undefined, path: [] }
}
