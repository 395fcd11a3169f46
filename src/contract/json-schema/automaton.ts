import { compileAtom, type PatternNode } from './pattern-syntax.ts'

// Some engines compile a pattern to a deterministic automaton, in which every set of places that a
// text can lead to is a state. There can be exponentially many: `[ab]*a[ab]{12}` has 8,192, and two
// of them in a row have more than 100,000. So the automaton is built here, up to a number of steps.

// For all different patterns of a request together; 5 to 10 ms. Patterns of dates, addresses and
// identifiers need some hundred, host names 6,000.
export const AUTOMATON_STEPS_MAX = 50_000

// Characters beside those of the pattern, to tell classes apart.
const USUAL_CHARACTERS = ['a', 'z', 'A', 'Z', '0', '9', ' ', '_', '-', '.', '\n', 'é']

type State = {
  // Undefined for a state that only leads to others.
  readonly atom: string | undefined
  readonly next: number[]
}

// The steps that building the automaton takes, or Infinity if they exceed the limit.
export function countAutomatonSteps(pattern: string, tree: PatternNode, limit: number): number {
  const states: State[] = [{ atom: undefined, next: [] }]
  const start = add(states, tree, 0, limit)
  if (start === undefined) return Infinity
  const classes = classesOf(pattern, states)
  const reach = createReach(states)
  const first = reach(start).toSorted((left, right) => left - right)
  const known = new Set([first.join()])
  const pending = [first]
  let steps = states.length
  for (let set = pending.pop(); set !== undefined && steps <= limit; set = pending.pop()) {
    for (const matching of classes) {
      const moved = new Set<number>()
      for (const state of set) {
        const { atom, next } = states[state] as State
        if (atom === undefined || !matching.has(atom)) continue
        for (const target of reach(next[0] as number)) moved.add(target)
      }
      steps += set.length + moved.size
      const ordered = [...moved].toSorted((left, right) => left - right)
      const key = ordered.join()
      if (ordered.length === 0 || known.has(key)) continue
      known.add(key)
      pending.push(ordered)
    }
  }
  return steps <= limit ? steps : Infinity
}

// Adds the states of a part that continues with `next`, and returns its first one.
function add(states: State[], node: PatternNode, next: number, limit: number): number | undefined {
  if (states.length > limit) return undefined
  const create = (atom: string | undefined, ...targets: number[]) =>
    states.push({ atom, next: targets }) - 1
  switch (node.kind) {
    case 'empty':
      return next
    case 'atom':
      return create(node.text, next)
    case 'sequence':
      return node.parts.reduceRight<number | undefined>(
        (after, part) => (after === undefined ? after : add(states, part, after, limit)),
        next,
      )
    case 'choice': {
      const fork = create(undefined)
      for (const branch of node.branches) {
        const first = add(states, branch, next, limit)
        if (first === undefined) return undefined
        states[fork]?.next.push(first)
      }
      return fork
    }
    case 'repetition':
      return addRepetition(states, node, next, limit)
  }
}

function addRepetition(
  states: State[],
  { part, least, most }: Extract<PatternNode, { kind: 'repetition' }>,
  next: number,
  limit: number,
): number | undefined {
  let first: number | undefined = next
  if (most === Infinity) {
    const loop = states.push({ atom: undefined, next: [next] }) - 1
    const body = add(states, part, loop, limit)
    if (body === undefined) return undefined
    states[loop]?.next.push(body)
    first = loop
  }
  const optional = most === Infinity ? 0 : most - least
  for (let copy = 0; copy < optional; copy += 1) {
    first = add(states, part, first, limit)
    if (first === undefined) return undefined
    first = states.push({ atom: undefined, next: [first, next] }) - 1
  }
  for (let copy = 0; copy < least && first !== undefined; copy += 1)
    first = add(states, part, first, limit)
  return first
}

// Characters that the same atoms match are one class.
function classesOf(pattern: string, states: readonly State[]): Set<string>[] {
  const atoms = new Set(states.flatMap(({ atom }) => (atom === undefined ? [] : [atom])))
  const compiled = [...atoms].map((atom) => [atom, compileAtom(atom)] as const)
  const classes = new Map<string, Set<string>>()
  for (const character of new Set([...USUAL_CHARACTERS, ...Array.from(pattern)])) {
    const matching = compiled
      .filter(([, expression]) => expression?.test(character) ?? true)
      .map(([atom]) => atom)
    classes.set(matching.join('\n'), new Set(matching))
  }
  return [...classes.values()]
}

// The states with an atom, and the end, that are reached from a state without a character.
function createReach(states: readonly State[]): (from: number) => readonly number[] {
  const reached = new Map<number, number[]>()
  return (from) => {
    const known = reached.get(from)
    if (known !== undefined) return known
    const seen = new Set([from])
    for (const state of seen) {
      const { atom, next } = states[state] as State
      if (atom === undefined) for (const target of next) seen.add(target)
    }
    const found = [...seen].filter((state) => state === 0 || states[state]?.atom !== undefined)
    reached.set(from, found)
    return found
  }
}
