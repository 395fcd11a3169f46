import type { RefundState } from '../../../src/contract/payments/refund-states.ts'
import {
  judgeRefund,
  placeOfRefund,
} from '../../../src/platform/payments/returned-money/judge-refund.ts'
import type { Place } from '../../../src/platform/payments/returned-money/move-money.ts'

/** Mistakes that are easily made. The search must find each of them. */
export type RefundMistake =
  | 'it is asked again without looking for it'
  | 'an answer that was overtaken counts'
  | 'a lost webhook is lost'
  | 'what succeeded is never read again'
  | 'what was refused here is never taken'
  | 'a refusal is forgotten when the answer comes'

type Remote = 'pending' | 'succeeded' | 'failed'

type Scene = {
  row: RefundState | null
  ref: number | null
  place: Place
  /** Refunds at the provider that carry our id. */
  remotes: Remote[]
  /** The provider still knows the idempotency key. */
  keys: boolean
  /** Two processes: one whose lease has ended may still go on. */
  askers: { step: 'idle' | 'asks' | 'made' | 'refused'; made: number | null }[]
  readers: { step: 'idle' | 'read'; facts: Remote | null; of: number | null; hints: number }[]
  /** Whether an order to read it is kept, and how often somebody gave it. */
  due: boolean
  hints: number
  crashes: number
}

type Step = readonly [name: string, scene: Scene]

const ACTORS = 2
const REMOTES_MAX = 2
/** A reading and its application, until nothing is ordered any more. */
const ROUNDS = 4

function begin(): Scene {
  return {
    row: null,
    ref: null,
    place: 'funds',
    remotes: [],
    keys: true,
    askers: Array.from({ length: ACTORS }, () => ({ step: 'idle', made: null })),
    readers: Array.from({ length: ACTORS }, () => ({
      step: 'idle',
      facts: null,
      of: null,
      hints: 0,
    })),
    due: false,
    hints: 0,
    crashes: 1,
  }
}

function after(scene: Scene, name: string, edit: (copy: Scene) => void): Step {
  const copy = structuredClone(scene)
  edit(copy)
  return [name, copy]
}

function* stepsFrom(scene: Scene, mistake?: RefundMistake): Generator<Step> {
  if (scene.row === null)
    yield after(scene, 'commit', (s) => {
      s.row = 'requested'
      s.place = placeOfRefund('requested')
    })
  for (let at = 0; at < ACTORS; at += 1) {
    yield* ask(scene, at, mistake)
    yield* read(scene, at, mistake)
  }
  yield* provide(scene, mistake)
  // Whoever asked with the key has long ended when the provider forgets it.
  if (scene.keys && scene.askers.every(({ step }) => step === 'idle'))
    yield after(scene, 'key is forgotten', (s) => (s.keys = false))
  if (scene.crashes > 0)
    yield after(scene, 'crash', (s) => {
      const { askers, readers } = begin()
      Object.assign(s, { askers, readers, crashes: s.crashes - 1 })
    })
}

function* ask(scene: Scene, at: number, mistake?: RefundMistake): Generator<Step> {
  const { step } = scene.askers[at]!
  const go = (name: string, edit: (s: Scene, asker: Scene['askers'][number]) => void) =>
    after(scene, `${name} (${at})`, (s) => edit(s, s.askers[at]!))
  const found = scene.remotes.length > 0 ? 0 : null
  if (step === 'idle' && scene.row === 'requested' && scene.ref === null)
    yield go('take', (_, asker) => (asker.step = 'asks'))
  if (step === 'asks') {
    const careless = mistake === 'it is asked again without looking for it'
    const known = found !== null && (scene.keys || !careless)
    if (known || scene.remotes.length < REMOTES_MAX)
      yield go('ask', (s, asker) => {
        asker.made = known ? 0 : make(s, mistake)
        asker.step = 'made'
      })
    // Perhaps because somebody else has made it meanwhile.
    yield go('is refused', (_, asker) => (asker.step = 'refused'))
  }
  if (step === 'made') yield go('store', (s, asker) => store(s, asker, asker.made, mistake))
  if (step === 'refused')
    yield go('look', (s, asker) => {
      if (found !== null) return store(s, asker, found, mistake)
      asker.step = 'idle'
      if (s.row !== 'requested' || s.ref !== null) return
      s.row = 'failed'
      s.place = placeOfRefund('failed')
    })
}

function make(scene: Scene, mistake?: RefundMistake): number {
  if (mistake !== 'a lost webhook is lost') order(scene)
  return scene.remotes.push('pending') - 1
}

function order(scene: Scene): void {
  scene.due = true
  scene.hints += 1
}

function store(
  scene: Scene,
  asker: Scene['askers'][number],
  made: number | null,
  mistake?: RefundMistake,
): void {
  Object.assign(asker, { step: 'idle', made: null })
  const forgets = mistake === 'a refusal is forgotten when the answer comes'
  if (scene.row === 'requested' || forgets) scene.ref ??= made
  order(scene)
}

/** A webhook, the list of events, or the order that is kept until it is over. */
function* read(scene: Scene, at: number, mistake?: RefundMistake): Generator<Step> {
  const reader = scene.readers[at]!
  if (reader.step === 'idle' && scene.due)
    for (const [of, facts] of scene.remotes.entries())
      yield after(scene, `read ${of} (${at})`, (s) => {
        s.readers[at] = { step: 'read', facts, of, hints: s.hints }
      })
  if (reader.step === 'read')
    yield after(scene, `apply ${reader.facts} (${at})`, (s) => {
      s.readers[at] = begin().readers[at]!
      apply(s, reader.of!, reader.facts!, mistake)
      const isOver = s.row === 'succeeded' || s.row === 'failed'
      if (isOver && reader.hints === s.hints) s.due = false
    })
}

/** As `applyRefund` does: the rules are those of the service. */
function apply(scene: Scene, of: number, facts: Remote, mistake?: RefundMistake): void {
  if ((scene.ref ?? of) !== of) return
  const wasRefused = scene.row === 'failed' && scene.ref === null
  if (wasRefused && mistake === 'what was refused here is never taken') return
  if (scene.row === 'succeeded' && mistake === 'what succeeded is never read again') return
  const before = wasRefused ? null : scene.row
  const overtaken = mistake === 'an answer that was overtaken counts'
  scene.row = overtaken ? facts : judgeRefund(before, facts)
  scene.ref = of
  scene.place = placeOfRefund(scene.row)
}

function* provide(scene: Scene, mistake?: RefundMistake): Generator<Step> {
  const become = (s: Scene, at: number, remote: Remote) => {
    s.remotes[at] = remote
    if (mistake !== 'a lost webhook is lost') order(s)
  }
  for (const [at, remote] of scene.remotes.entries()) {
    if (remote === 'pending')
      yield after(scene, `bank pays ${at}`, (s) => become(s, at, 'succeeded'))
    if (remote !== 'failed')
      yield after(scene, `bank sends back ${at}`, (s) => become(s, at, 'failed'))
  }
}

/** What is wrong now, or stays wrong after all that is ordered was read. */
function faultOf(scene: Scene, mistake?: RefundMistake): string | undefined {
  if (scene.remotes.length > 1) return 'refunded twice'
  const [remote] = scene.remotes
  let rest = structuredClone(scene)
  // Whoever is under way ends somehow; this is about what everybody has left behind.
  if ([...rest.readers, ...rest.askers].some(({ step }) => step !== 'idle')) return undefined
  for (let round = 0; round < ROUNDS; round += 1) rest = [...read(rest, 0, mistake)][0]?.[1] ?? rest
  if (remote === undefined) return scene.place === 'provider:stripe' ? 'paid here only' : undefined
  return rest.place === placeOfRefund(remote) ? undefined : 'the books differ'
}

/** Tries every order. Ends at the first fault, with the steps that led to it. */
export function exploreRefund(mistake?: RefundMistake) {
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
