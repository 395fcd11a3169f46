import type { Random } from '../../harness/figures/random.ts'

/** A mutated stream, in the parts in which it arrives. */
export type Hostile = {
  readonly names: readonly string[]
  readonly parts: readonly Buffer[]
  /** Whether the client must receive the content of the stream before its mutation. */
  readonly harmless: boolean
  /** After the last part: the end, a broken connection, or nothing at all. */
  readonly ending: 'end' | 'break' | 'silence'
}

/** The data of each event, without its framing. */
type Events = string[]
type Wire = Record<string, unknown>

const DONE = '[DONE]'
/** Longer than the longest event that is read. */
const ENDLESS_CHARACTERS = 1_200_000
const CALLS_MANY = 40
const DEPTH = 500
/** Each is rare: it takes time, or megabytes. */
const COSTLY_CHANCE = 0.004
/** Silence lasts until the timeout. */
const SILENCE_CHANCE = 0.001
const MUTATIONS_MAX = 4

const ODD_NUMBERS = [0, -1, -5, 1.5, 1e308, 2 ** 53]
const ODD_TEXTS = ['', 'text', '\n\n', '\ud800', 'data: [DONE]\n\n', '<|im_end|>']
const ODD_OBJECTS = [[], {}, [null], [[]], [1, 'a', {}], { length: 5 }, { '0': {} }]
const ODD_VALUES: readonly unknown[] = [null, true, ...ODD_NUMBERS, ...ODD_TEXTS, ...ODD_OBJECTS]

const ERRORS: readonly unknown[] = [
  { error: { code: 500, message: 'SECRET', type: 'server_error' } },
  { error: { code: 400, message: 'SECRET', type: 'exceed_context_size_error' } },
  { error: 'SECRET' },
  { error: true },
  { error: [] },
  { error: {}, choices: [{ delta: { content: 'x' } }] },
]

const NOT_JSON = ['', ' ', '{', 'NaN', '[DONE', '[done]', '\u0000']
const NO_CHUNKS = [...NOT_JSON, 'null', '7', '"text"', '[]', '{}']

/** Every place within a value where something else can be put. */
function placesOf(value: unknown, places: { holder: Wire; key: string }[] = []) {
  if (typeof value !== 'object' || value === null) return places
  for (const key of Object.keys(value)) {
    places.push({ holder: value as Wire, key })
    placesOf((value as Wire)[key], places)
  }
  return places
}

/** Changes one event that matches, if there is one. */
function changeOne(
  events: Events,
  random: Random,
  change: (chunk: Wire) => void,
  event = /^\{/,
): void {
  const matching = events.flatMap((data, index) => (event.test(data) ? [index] : []))
  if (matching.length === 0) return
  const index = random.pick(matching)
  try {
    const chunk = JSON.parse(events[index] ?? '') as Wire
    change(chunk)
    events[index] = JSON.stringify(chunk)
  } catch {
    // An earlier mutation has left no JSON to change.
  }
}

/** Replaces one member of one event, both of which match; undefined removes it. */
function replaceOne(
  events: Events,
  random: Random,
  values: readonly unknown[],
  event = /^\{/,
  member = /^/,
): void {
  const replace = (chunk: Wire) => {
    const { holder, key } = random.pick(placesOf(chunk).filter((place) => member.test(place.key)))
    holder[key] = random.pick(values)
  }
  changeOne(events, random, replace, event)
}

function replaceAll(events: Events, text: string, replacement: string): void {
  for (const [index, data] of events.entries()) events[index] = data.replace(text, replacement)
}

function chunkOf(delta: unknown, finish: unknown = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
}

function insert(events: Events, random: Random, ...data: readonly string[]): void {
  events.splice(random.between(0, events.length), 0, ...data)
}

function oddCall(random: Random): unknown {
  return {
    index: random.pick([0, 1, 2, -1, 7, 1.5, 1e308, null, '0', undefined]),
    id: random.pick([undefined, null, '', 'a', 'b', 7]),
    function: random.pick([
      undefined,
      null,
      { name: 'f', arguments: '{}' },
      { name: 'f' },
      { arguments: '{"a":' },
      { name: '', arguments: null },
      { name: null, arguments: {} },
      'f',
    ]),
  }
}

type Mutation = (events: Events, random: Random) => void

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  drop: (events, random) => void events.splice(random.between(0, events.length - 1), 1),
  duplicate: (events, random) => {
    const index = random.between(0, events.length - 1)
    events.splice(index, 0, events[index] ?? '')
  },
  swap: (events, random) => {
    const [a, b] = [random.between(0, events.length - 1), random.between(0, events.length - 1)]
    ;[events[a], events[b]] = [events[b] ?? '', events[a] ?? '']
  },
  shuffle: (events, random) => {
    for (let at = events.length - 1; at > 0; at -= 1) {
      const other = random.between(0, at)
      ;[events[at], events[other]] = [events[other] ?? '', events[at] ?? '']
    }
  },
  truncate: (events, random) => void events.splice(random.between(0, events.length)),
  'wrong value': (events, random) => replaceOne(events, random, ODD_VALUES),
  'missing member': (events, random) => replaceOne(events, random, [undefined]),
  'wrong count': (events, random) => {
    const member = /tokens|_n$|usage|timings/
    replaceOne(events, random, ODD_VALUES, /"usage"|"timings"/, member)
  },
  'no usage': (events) => replaceAll(events, '"usage"', '"no_usage"'),
  'no counts at all': (events) => {
    replaceAll(events, '"usage"', '"no_usage"')
    replaceAll(events, '"timings"', '"no_timings"')
  },
  'no reasoning': (events) => {
    const kept = events.filter((data) => !data.includes('"reasoning_content"'))
    events.splice(0, events.length, ...kept)
  },
  'odd call': (events, random) =>
    insert(events, random, chunkOf({ tool_calls: [oddCall(random)] })),
  'odd calls': (events, random) => {
    const calls = Array.from({ length: random.between(0, 5) }, () => oddCall(random))
    insert(events, random, chunkOf({ tool_calls: random.pick([calls, [null], 5, 'calls', {}]) }))
  },
  'odd index of a call': (events, random) => {
    const values = [0, 1, -1, 9, 1e308, 1.5, null, '', 'x']
    replaceOne(events, random, values, /"tool_calls"/, /^(index|id|name|arguments)$/)
  },
  'odd finish': (events, random) => {
    const reasons = ['abort', 'error', '', 7, true, 'stop', 'length', 'tool_calls']
    insert(events, random, chunkOf({}, random.pick(reasons)))
  },
  'talk after the finish': (events, random) => {
    const finish = events.findIndex((data) => /"finish_reason":"/.test(data))
    const late = [{ content: 'late' }, { reasoning_content: 'late' }, { tool_calls: [{}] }]
    events.splice(finish + 1, 0, chunkOf(random.pick(late)))
  },
  'finish with text': (events, random) =>
    insert(events, random, chunkOf({ content: 'x', reasoning_content: 'y' }, 'stop')),
  'several choices': (events, random) =>
    changeOne(events, random, (chunk) => {
      if (Array.isArray(chunk['choices'])) chunk['choices'].push(...(chunk['choices'] as unknown[]))
    }),
  'an error': (events, random) => insert(events, random, JSON.stringify(random.pick(ERRORS))),
  'an error and the end': (events, random) =>
    insert(events, random, JSON.stringify(random.pick(ERRORS)), DONE),
  'no chunk': (events, random) => insert(events, random, random.pick(NO_CHUNKS)),
  'deep value': (events, random) =>
    insert(events, random, `{"choices":[{"delta":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}]}`),
  'early end': (events, random) => insert(events, random, DONE),
  'end twice': (events) => void events.push(DONE),
  'no end': (events) => void (events.at(-1) === DONE && events.pop()),
  'many calls': (events, random) => {
    const call = (index: number) => ({ index, id: `${index}`, function: { name: 'f' } })
    const tool_calls = Array.from({ length: CALLS_MANY }, (_, index) => call(index))
    insert(events, random, chunkOf({ tool_calls }))
  },
}

/** Framings that mean the same to every reader of event streams. */
const FRAMES: Readonly<Record<string, (data: string, random: Random) => string>> = {
  usual: (data) => `data: ${data}\n\n`,
  'without a space': (data) => `data:${data.startsWith(' ') ? ' ' : ''}${data}\n\n`,
  'carriage returns': (data) => `data: ${data}\r\n\r\n`,
  // llama-server's ping is the shorter one.
  comments: (data, random) => `${random.pick([': ping\n\n', ':\n\n', '', ''])}data: ${data}\n\n`,
  fields: (data) => `event: message\nid: 7\nretry: 10\nother: x\ndata: ${data}\n\n`,
}

function split(bytes: Buffer, random: Random): Buffer[] {
  if (random.chance(0.3)) return [bytes]
  const events = bytes.toString('latin1').match(/.*?\n\n|.+$/gs) ?? []
  // As engines send them, for which the reader has a fast path.
  if (random.chance(0.4)) return events.map((event) => Buffer.from(event, 'latin1'))
  const partMax = random.chance(COSTLY_CHANCE) ? 1 : random.pick([64, 500, 2_000])
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length;) {
    const size = random.between(1, partMax)
    parts.push(bytes.subarray(from, from + size))
    from += size
  }
  return parts
}

/** Changes bytes below the level of events. */
function spoil(bytes: Buffer, random: Random): { name: string; bytes: Buffer } | undefined {
  if (random.chance(COSTLY_CHANCE)) {
    const endless = Buffer.from(`data: {"choices":"${'x'.repeat(ENDLESS_CHARACTERS)}`)
    return { name: 'an endless event', bytes: Buffer.concat([bytes.subarray(0, 500), endless]) }
  }
  const at = random.between(0, Math.max(0, bytes.length - 1))
  const kind = random.between(0, 30)
  if (kind === 0) return { name: 'cut bytes', bytes: bytes.subarray(0, at) }
  if (kind > 2 || bytes.length === 0) return undefined
  const changed = Buffer.from(bytes)
  if (kind === 1) changed[at] = random.between(0, 255)
  else changed.fill(0xff, at, Math.min(changed.length, at + random.between(1, 4)))
  return { name: 'changed bytes', bytes: changed }
}

/** Mutates a recorded stream, up to four times, then its framing, bytes, parts and end. */
export function mutateStream(stream: readonly string[], random: Random): Hostile {
  const events = [...stream]
  const names: string[] = []
  const count = random.chance(0.1) ? 0 : random.between(1, MUTATIONS_MAX)
  for (let done = 0; done < count; done += 1) {
    const name = random.pick(Object.keys(MUTATIONS))
    if (events.length > 0) MUTATIONS[name]?.(events, random)
    names.push(name)
  }
  const framing = random.pick(Object.keys(FRAMES))
  const render = FRAMES[framing] ?? String
  const framed = Buffer.from(events.map((data) => render(data, random)).join(''))
  const spoilt = count === 0 ? undefined : spoil(framed, random)
  if (spoilt !== undefined) names.push(spoilt.name)
  const ending = random.chance(SILENCE_CHANCE) ? 'silence' : random.chance(0.1) ? 'break' : 'end'
  return {
    names: [...names, framing, ending],
    parts: split(spoilt?.bytes ?? framed, random),
    harmless: count === 0,
    ending,
  }
}
