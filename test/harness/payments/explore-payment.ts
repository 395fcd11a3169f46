import type { PaymentFacts } from '../../../src/payments/provider.ts'
import {
  judgePayment,
  type Judgement,
  type KnownPayment,
} from '../../../src/platform/payments/judge-payment.ts'
import { isFinalPayment, type PaymentState } from '../../../src/contract/payments/payment-states.ts'

/** Mistakes that others have made. The search must find each of them. */
export type Mistake =
  | 'a hint credits'
  | 'a hint is noted before the credit'
  | 'the credit is not tied to the payment'
  | 'the address is given before it is stored'
  | 'nobody reads without a hint'
  | 'the address is not that of the row'
  | 'a page replaces another one'
  | 'what has expired is never credited'
  | 'a hint that comes while somebody reads is lost'

/** A double click, or somebody who takes over after a lease. */
const OPENERS = 2
/** How often each event of the provider is delivered at most. */
const COPIES = 2
const CRASHES = 2
const PAGES_MAX = 2
/** Enough for the sweeper to finish: each reading is followed by applying it. */
const ROUNDS = 6

type Remote = 'open' | 'paid' | 'expired'
type Opener = 'idle' | 'asks' | 'made' | 'stored' | 'done' | 'credits'

type Scene = {
  row: PaymentState | null
  /** The page whose id is stored: its place among the pages. */
  ref: number | null
  cancel: boolean
  due: boolean
  transfers: number
  /** Pages at the provider. */
  pages: Remote[]
  /** Pages whose address the customer has. */
  given: number[]
  charged: number
  /** The provider still knows the idempotency keys. */
  keys: boolean
  /** Ten minutes have passed: nobody opens the page any more but who has begun to. */
  old: boolean
  openers: { step: Opener; page: number | null }[]
  reader: { step: 'idle' | 'read'; facts: Remote | null; hinted: boolean }
  /** Deliveries left of the event that a page was paid. */
  events: number[]
  seen: boolean[]
  crashes: number
}

type Step = readonly [name: string, scene: Scene]

function begin(): Scene {
  return {
    row: null,
    ref: null,
    cancel: false,
    due: false,
    transfers: 0,
    pages: [],
    given: [],
    charged: 0,
    keys: true,
    old: false,
    openers: Array.from({ length: OPENERS }, () => ({ step: 'idle', page: null })),
    reader: { step: 'idle', facts: null, hinted: false },
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

function* stepsFrom(scene: Scene, mistake?: Mistake): Generator<Step> {
  for (let at = 0; at < OPENERS; at += 1) yield* open(scene, at, mistake)
  yield* observe(scene, mistake)
  yield* provide(scene)
  yield* deliver(scene, mistake)
  if (scene.row !== null && !scene.old) yield after(scene, 'time passes', (s) => (s.old = true))
  if (scene.row === 'open' && !scene.cancel)
    yield after(scene, 'customer cancels', (s) => (s.cancel = true))
  if (scene.crashes > 0)
    yield after(scene, 'crash', (s) => {
      s.crashes -= 1
      s.openers = s.openers.map(() => ({ step: 'idle', page: null }))
      s.reader = { step: 'idle', facts: null, hinted: false }
    })
}

/** Whoever starts the payment, or checks it when it has no page yet. */
function* open(scene: Scene, at: number, mistake?: Mistake): Generator<Step> {
  const { step, page } = scene.openers[at]!
  const go = (name: string, to: Opener, edit: (s: Scene) => void = () => {}) =>
    after(scene, `${name} (${at})`, (s) => {
      s.openers[at]!.step = to
      edit(s)
    })
  const mayBegin = scene.row === null || (scene.row === 'created' && !scene.old)
  if (step === 'idle' && mayBegin) yield go('commit', 'asks', (s) => (s.row ??= 'created'))
  if (step === 'asks' && (scene.keys || scene.pages.length < PAGES_MAX))
    yield go('ask', 'made', (s) => {
      // After the keys were forgotten the same request makes a second page.
      const known = s.pages.length > 0 && s.keys
      if (!known) s.pages.push('open')
      s.openers[at]!.page = known ? 0 : s.pages.length - 1
    })
  const early = mistake === 'the address is given before it is stored'
  if (step === 'made' && early) yield go('answer', 'done', (s) => s.given.push(page!))
  if (step === 'made' && !early)
    yield go('store', 'stored', (s) => {
      const always = mistake === 'a page replaces another one'
      if (!always && (s.row !== 'created' || s.cancel)) return
      s.row = 'open'
      s.ref = page
    })
  // The address of the row, which need not be the page that this process made.
  if (step === 'stored')
    yield go('answer', 'done', (s) => {
      const given = mistake === 'the address is not that of the row' ? page : s.ref
      if (s.row === 'open' && given !== null && !s.given.includes(given)) s.given.push(given)
    })
  // The second half of a mistake.
  if (step === 'credits') yield go('credit', 'done', pay)
}

function pay(scene: Scene): void {
  scene.transfers += 1
  scene.row = 'succeeded'
}

/** The sweeper, or a check: reads the page, ends it if need be, and applies what it found. */
function* observe(scene: Scene, mistake?: Mistake): Generator<Step> {
  const { reader, row } = scene
  const sweeps = mistake !== 'nobody reads without a hint' && row !== null && !isFinalPayment(row)
  const mayRead = row !== null && (row !== 'created' || scene.old) && (scene.due || sweeps)
  if (reader.step === 'idle' && mayRead)
    yield after(scene, 'read', (s) => {
      if (s.ref === null && s.pages.length > 0) {
        s.ref = 0
        s.cancel = true
      }
      const remote = s.ref === null ? null : s.pages[s.ref]!
      s.reader = { step: 'read', facts: remote, hinted: false }
      if (remote === null || judge(s, remote).kind !== 'cancel') return
      s.pages[s.ref!] = 'expired'
      s.reader.facts = 'expired'
    })
  if (reader.step === 'read')
    yield after(scene, 'apply', (s) => {
      s.reader = { step: 'idle', facts: null, hinted: false }
      apply(s, reader.facts, mistake)
      const lost = mistake === 'a hint that comes while somebody reads is lost'
      s.due = !lost && reader.hinted
    })
}

function apply(scene: Scene, facts: Remote | null, mistake?: Mistake): void {
  if (facts === null) {
    if (scene.row === 'created' && scene.ref === null) scene.row = 'expired'
    return
  }
  if (mistake === 'what has expired is never credited' && scene.row === 'expired') return
  const judged = judge(scene, facts)
  const again = mistake === 'the credit is not tied to the payment' && facts === 'paid'
  if (again || (judged.kind === 'move' && judged.to === 'succeeded')) pay(scene)
  else if (judged.kind === 'move') scene.row = judged.to
}

/** The function of the service, on the facts of the model. */
function judge(scene: Scene, remote: Remote): Judgement {
  const now = new Date(0)
  const owner = { organizationId: 'organization', customer: 'customer', live: false }
  const money = { currency: 'USD', net: 1, tax: 0, total: 1, asked: 1 }
  const payment: KnownPayment = {
    id: 'payment',
    kind: 'page',
    ...owner,
    state: scene.row ?? 'created',
    amount: 1,
    currency: 'USD',
    cancel: scene.cancel,
    failure: null,
    totalMax: null,
    tax: null,
    settle: null,
    createdAt: now,
  }
  const facts: PaymentFacts = {
    ref: 'ref',
    state: remote,
    paymentId: 'payment',
    ...owner,
    ...money,
    received: remote === 'paid' ? 1 : 0,
    url: null,
    moneyRef: null,
    invoiceRef: null,
    outside: false,
    dueAt: null,
    documentUrl: null,
    savedCard: null,
    paidAt: null,
    failure: null,
  }
  return judgePayment(payment, facts, now)
}

function* provide(scene: Scene): Generator<Step> {
  for (const [page, remote] of scene.pages.entries()) {
    // A page that has ended may still be paid: a bank was slow.
    if (remote !== 'paid' && scene.given.includes(page))
      yield after(scene, `customer pays ${page}`, (s) => {
        s.pages[page] = 'paid'
        s.charged += 1
        s.events[page] = COPIES
      })
    if (remote !== 'open') continue
    // It leads to no hint here: one would only make somebody read, which may happen at any time.
    yield after(scene, `page ${page} expires`, (s) => (s.pages[page] = 'expired'))
  }
  if (scene.keys && scene.pages.length > 0)
    yield after(scene, 'keys are forgotten', (s) => (s.keys = false))
}

function* deliver(scene: Scene, mistake?: Mistake): Generator<Step> {
  for (const [page, left] of scene.events.entries()) {
    if (left === 0) continue
    yield after(scene, `deliver ${page}`, (s) => {
      s.events[page]! -= 1
      note(s, page, mistake)
    })
  }
}

/** A hint makes the payment due, and nothing else. */
function note(scene: Scene, page: number, mistake?: Mistake): void {
  const repeated = scene.seen[page]
  scene.seen[page] = true
  if (mistake === 'a hint credits') pay(scene)
  if (repeated) return
  if (mistake === 'a hint is noted before the credit') {
    // The note and the credit are two steps, so that the credit may be lost.
    scene.openers[0] = { step: 'credits', page: null }
    scene.row = 'succeeded'
  } else if (scene.ref === page) {
    scene.due = true
    scene.reader.hinted = scene.reader.step === 'read'
  }
}

/** What is wrong now, or will be when the sweeper runs and the list of events is read again. */
function faultOf(scene: Scene, mistake?: Mistake): string | undefined {
  if (scene.transfers > 1) return 'credited twice'
  if (scene.transfers > scene.charged) return 'credited without money'
  if (scene.charged > 1) return 'charged twice'
  let rest = structuredClone(scene)
  rest.old = true
  if (mistake !== 'nobody reads without a hint')
    for (const [page, remote] of rest.pages.entries())
      if (remote === 'paid' && !rest.seen[page]) note(rest, page, mistake)
  for (let round = 0; round < ROUNDS; round += 1) rest = [...observe(rest, mistake)][0]?.[1] ?? rest
  if (rest.transfers > 1) return 'credited twice'
  return rest.transfers < scene.charged ? 'charged, never credited' : undefined
}

/** Tries every order. Ends at the first fault, with the steps that led to it. */
export function explore(mistake?: Mistake) {
  const first = begin()
  const seen = new Map<string, readonly [string, string] | null>([[JSON.stringify(first), null]])
  const queue = [first]
  for (let scene = queue.pop(); scene !== undefined; scene = queue.pop()) {
    const broken = faultOf(scene, mistake)
    if (broken !== undefined) return { states: seen.size, broken, path: pathTo(seen, scene) }
    for (const [name, next] of stepsFrom(scene, mistake)) {
      const text = JSON.stringify(next)
      if (seen.has(text)) continue
      seen.set(text, [name, JSON.stringify(scene)])
      queue.push(next)
    }
  }
  return { states: seen.size, broken: undefined, path: [] }
}

function pathTo(seen: Map<string, readonly [string, string] | null>, scene: Scene): string[] {
  const path: string[] = []
  for (let at = seen.get(JSON.stringify(scene)); at != null; at = seen.get(at[1]))
    path.unshift(at[0])
  return path
}
