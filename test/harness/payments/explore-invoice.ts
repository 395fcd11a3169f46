import { stepsBetween } from '../../../src/platform/payments/invoices/steps-between.ts'
import type { Judgement } from '../../../src/platform/payments/judge-payment.ts'
import { isFinalPayment, type PaymentState } from '../../../src/contract/payments/payment-states.ts'
import {
  begin,
  DRAFTS_MAX,
  isEnd,
  PROCESSES,
  wrongIn,
  type Scene,
  type Work,
} from './invoice-scene.ts'
import { judgeInvoice as judge, type Remote } from './judge-invoice.ts'

/** Mistakes that the search must find. */
export type InvoiceMistake =
  | 'a hint is believed'
  | 'the entries are not tied to the state'
  | 'nobody reads without a hint'
  | 'it is finalized before its reference is stored'
  | 'a draft replaces another one'
  | 'it is void here before it is there'
  | 'it is paid here before the provider knows'
  | 'what was written off is over'
  | 'a loss stays when the money comes'
  | 'another reference is not noticed'

/** Enough for one process to finish undisturbed. */
const STEPS_MAX = 16

type Step = readonly [name: string, scene: Scene]

function after(scene: Scene, name: string, edit: (copy: Scene) => void): Step {
  const copy = structuredClone(scene)
  edit(copy)
  return [name, copy]
}

function* stepsFrom(scene: Scene, mistake?: InvoiceMistake): Generator<Step> {
  for (let at = 0; at < PROCESSES; at += 1) yield* work(scene, at, mistake)
  for (const [at, remote] of scene.drafts.entries()) {
    if (remote === 'open' || remote === 'uncollectible')
      yield after(scene, `customer pays ${at}`, (s) => {
        s.drafts[at] = 'paid'
        s.charged += 1
        s.events += 1
      })
    if (scene.decisions > 0 && remote === 'open')
      for (const click of ['void', 'uncollectible', 'outside'] as const)
        yield after(scene, `${click} in the dashboard`, (s) => {
          s.decisions -= 1
          s.drafts[at] = click
          s.events += 1
        })
  }
  if (scene.events > 0)
    yield after(scene, 'deliver', (s) => {
      s.events -= 1
      s.due = true
      if (mistake === 'a hint is believed') move(s, 'succeeded', 'provider', mistake)
    })
  if (scene.keys) yield after(scene, 'keys are forgotten', (s) => (s.keys = false))
  if (scene.decisions > 0 && !isFinalPayment(scene.row))
    for (const decision of ['void', 'paid', 'written_off'] as const)
      if (decision === 'void' || scene.issued)
        yield after(scene, `operator: ${decision}`, (s) => decide(s, decision, mistake))
}

/** Its lease ends, and what it had taken is due again. */
function crash(scene: Scene, mistake?: InvoiceMistake): void {
  if (mistake !== 'nobody reads without a hint')
    scene.due ||= scene.processes.some(({ step }) => step !== 'idle')
  scene.processes = scene.processes.map(() => ({ step: 'idle' }))
}

function decide(
  scene: Scene,
  decision: 'void' | 'paid' | 'written_off',
  mistake?: InvoiceMistake,
): void {
  scene.decisions -= 1
  scene.due = true
  if (decision === 'void') scene.cancel = true
  else scene.settle = decision
  if (decision === 'void' && mistake === 'it is void here before it is there')
    move(scene, 'expired', null, mistake)
  if (decision === 'paid' && mistake === 'it is paid here before the provider knows')
    move(scene, 'succeeded', 'bank', mistake)
}

/** One process: drafts and stores the invoice, reads it, acts, reads it again, applies. */
function* work(scene: Scene, at: number, mistake?: InvoiceMistake): Generator<Step> {
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
      const step = scene.ref === null ? 'find' : 'look'
      return void (yield go('take', { step }, (s) => (s.due = false)))
    }
    case 'find':
      return void (yield go('find', find(scene)))
    case 'draft':
      return void (yield draft(scene, at, mistake))
    case 'store':
      return void (yield go('store', { step: 'look' }, (s) => store(s, mine.at, mistake)))
    case 'look':
      return void (yield go(
        'look',
        scene.ref === null ? { step: 'idle' } : { step: 'read', at: scene.ref },
      ))
    case 'read': {
      const judged = judge(scene, scene.drafts[mine.at]!)
      const acts = judged.kind !== 'move' && judged.kind !== 'stay'
      const next: Work = acts
        ? { step: 'act', at: mine.at, judged }
        : { step: 'apply', facts: scene.drafts[mine.at]!, at: mine.at }
      return void (yield go('read', next))
    }
    case 'act':
      return void (yield go('act', { step: 'read again', at: mine.at }, (s) =>
        act(s, mine.at, mine.judged),
      ))
    case 'read again':
      return void (yield go('read again', {
        step: 'apply',
        facts: scene.drafts[mine.at]!,
        at: mine.at,
      }))
    case 'apply':
      return void (yield go('apply', { step: 'idle' }, (s) => apply(s, mine, mistake)))
  }
}

/** What is finalized already is found there. */
function find({ drafts, cancel }: Scene): Work {
  const found = drafts.findIndex((remote) => remote !== 'draft' && remote !== 'gone')
  if (found !== -1) return { step: 'store', at: found }
  return cancel ? { step: 'apply', facts: null, at: null } : { step: 'draft' }
}

/** The same keys give the same draft. */
function draft(scene: Scene, at: number, mistake?: InvoiceMistake): Step {
  return after(scene, `draft (${at})`, (s) => {
    const known = s.keys && s.drafts.length > 0
    if (!known && s.drafts.length === DRAFTS_MAX) return void (s.processes[at] = { step: 'idle' })
    const made = known ? 0 : s.drafts.length
    if (!known) s.drafts.push('draft')
    if (mistake === 'it is finalized before its reference is stored' && s.drafts[made] === 'draft')
      s.drafts[made] = 'open'
    s.processes[at] = { step: 'store', at: made }
  })
}

function store(scene: Scene, at: number, mistake?: InvoiceMistake): void {
  const waits = scene.ref === null && scene.row === 'created'
  if (waits || mistake === 'a draft replaces another one') scene.ref = at
  else if (scene.ref !== at) cancelThere(scene, at)
}

function cancelThere(scene: Scene, at: number): void {
  const remote = scene.drafts[at]
  if (remote === 'draft') scene.drafts[at] = 'gone'
  if (remote === 'open' || remote === 'uncollectible') scene.drafts[at] = 'void'
}

function act(scene: Scene, at: number, judged: Judgement): void {
  const remote = scene.drafts[at]
  if (judged.kind === 'cancel') cancelThere(scene, at)
  if (judged.kind === 'finalize' && remote === 'draft') scene.drafts[at] = 'open'
  if (judged.kind !== 'settle') return
  if (judged.how === 'paid' && (remote === 'open' || remote === 'uncollectible'))
    scene.drafts[at] = 'outside'
  if (judged.how === 'written_off' && remote === 'open') scene.drafts[at] = 'uncollectible'
}

type Found = { readonly facts: Remote | null; readonly at: number | null }

function apply(scene: Scene, { facts, at }: Found, mistake?: InvoiceMistake): void {
  const source = facts === 'outside' ? 'bank' : 'provider'
  if (facts === null || facts === 'gone') {
    const isSame = scene.ref === at || mistake === 'another reference is not noticed'
    const isOver = scene.row === 'created' && isSame && (at !== null || scene.cancel)
    if (isOver) move(scene, 'expired', null, mistake)
    return
  }
  if (mistake === 'the entries are not tied to the state' && facts === 'paid') {
    scene.ledger.push('receive')
    scene.received.push(source)
    scene.row = 'succeeded'
    return
  }
  if (mistake === 'what was written off is over' && scene.row === 'failed') return
  const judged = judge(scene, facts)
  if (judged.kind === 'move') move(scene, judged.to, source, mistake)
}

function move(
  scene: Scene,
  to: PaymentState,
  source: 'provider' | 'bank' | null,
  mistake?: InvoiceMistake,
): void {
  const before = { state: scene.row, issued: scene.issued }
  scene.issued ||= to !== 'expired' && to !== 'attention'
  scene.row = to
  const steps = stepsBetween(before, { state: to, issued: scene.issued })
  const leavesLoss = mistake === 'a loss stays when the money comes'
  const made = leavesLoss ? steps.filter((step) => step !== 'expect again') : steps
  scene.ledger.push(...made)
  if (made.includes('receive') && source !== null) scene.received.push(source)
}

/** What is wrong now, or will be when one process goes on undisturbed. */
function faultOf(scene: Scene, mistake?: InvoiceMistake): string | undefined {
  const wrong = wrongIn(scene)
  if (wrong !== undefined) return wrong
  let rest = structuredClone(scene)
  crash(rest, mistake)
  if (rest.events > 0) rest.due = true
  for (let step = 0; step < STEPS_MAX; step += 1) rest = [...work(rest, 0, mistake)][0]?.[1] ?? rest
  const later = wrongIn(rest)
  if (later !== undefined) return later
  if (rest.received.filter((each) => each === 'provider').length < rest.charged)
    return 'paid, never credited'
  const stored = rest.ref === null ? 'gone' : rest.drafts[rest.ref]!
  if (rest.ref === null && rest.drafts.length === DRAFTS_MAX) return undefined
  return isEnd(rest.row, stored) ? undefined : `${rest.row} here, ${stored} there`
}

/** Tries every order. Ends at the first fault, with the steps that led to it. */
export function exploreInvoice(mistake?: InvoiceMistake) {
  const first = begin()
  const known = new Set([JSON.stringify(first)])
  const queue: { scene: Scene; path: readonly string[] }[] = [{ scene: first, path: [] }]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const { scene, path } = at
    const broken = faultOf(scene, mistake)
    if (broken !== undefined) return { states: known.size, broken, path }
    for (const [name, next] of stepsFrom(scene, mistake)) {
      const text = JSON.stringify(next)
      if (known.has(text)) continue
      known.add(text)
      queue.push({ scene: next, path: [...path, name] })
    }
  }
  return { states: known.size, broken: undefined, path: [] }
}
