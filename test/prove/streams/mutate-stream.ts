import type { Random } from '../../harness/random.ts'

/** What an engine sends, in the parts in which it arrives. */
export type Hostile = {
  readonly names: readonly string[]
  readonly parts: readonly Buffer[]
  /** Whether the client must see the same as of the stream before its mutation. */
  readonly harmless: boolean
  /** What comes after the last part: its end, a broken connection, or nothing at all. */
  readonly ending: 'end' | 'break' | 'silence'
}

/** The data of each event, without its framing. */
type Events = string[]
type Wire = Record<string, unknown>

const DONE = '[DONE]'
/** Longer than any event that is read. */
const ENDLESS_CHARACTERS = 1_200_000
const CALLS_MANY = 40
const DEPTH = 500
/** Each is rare: it takes time, or megabytes. */
const COSTLY_CHANCE = 0.004
/** Silence lasts until the engine's time is over. */
const SILENCE_CHANCE = 0.001
const MUTATIONS_MAX = 4

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  -5,
  1.5,
  1e308,
  2 ** 53,
  '',
  'text',
  '\n\n',
  '\ud800',
  'data: [DONE]\n\n',
  '<|im_end|>',
  [],
  {},
  [null],
  [[]],
  [1, 'a', {}],
  { length: 5 },
  { '0': {} },
]

const ERRORS: readonly unknown[] = [
  { error: { code: 500, message: 'SECRET', type: 'server_error' } },
  { error: { code: 400, message: 'SECRET', type: 'exceed_context_size_error' } },
  { error: 'SECRET' },
  { error: true },
  { error: [] },
  { error: {}, choices: [{ delta: { content: 'x' } }] },
]

const NO_CHUNKS = [
  '',
  ' ',
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  '{',
  'NaN',
  '[DONE',
  '[done]',
  '\u0000',
]

/** Every place within a value where something else can be put. */
function placesOf(value: unknown, places: { holder: Wire; key: string }[] = []) {
  if (typeof value !== 'object' || value === null) return places
  for (const key of Object.keys(value)) {
    places.push({ holder: value as Wire, key })
    placesOf((value as Wire)[key], places)
  }
  return places
}

/** Changes one event that satisfies the condition, if there is one. */
function changeOne(
  events: Events,
  random: Random,
  change: (chunk: Wire) => void,
  condition: (data: string) => boolean = (data) => data.startsWith('{'),
): void {
  const fitting = events.flatMap((data, index) => (condition(data) ? [index] : []))
  if (fitting.length === 0) return
  const index = random.pick(fitting)
  try {
    const chunk = JSON.parse(events[index] ?? '') as Wire
    change(chunk)
    events[index] = JSON.stringify(chunk)
  } catch {
    // An earlier mutation has left no JSON to change.
  }
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
  'wrong value': (events, random) =>
    changeOne(events, random, (chunk) => {
      const { holder, key } = random.pick(placesOf(chunk))
      holder[key] = random.pick(ODD_VALUES)
    }),
  'missing member': (events, random) =>
    changeOne(events, random, (chunk) => {
      const { holder, key } = random.pick(placesOf(chunk))
      delete holder[key]
    }),
  'wrong count': (events, random) =>
    changeOne(
      events,
      random,
      (chunk) => {
        const places = placesOf(chunk).filter(({ key }) => /tokens|_n$|usage|timings/.test(key))
        const { holder, key } = random.pick(places)
        holder[key] = random.pick(ODD_VALUES)
      },
      (data) => /"usage"|"timings"/.test(data),
    ),
  'no usage': (events) => {
    for (const [index, data] of events.entries())
      events[index] = data.replace('"usage"', '"no_usage"')
  },
  'no counts at all': (events) => {
    for (const [index, data] of events.entries())
      events[index] = data.replace('"usage"', '"no_usage"').replace('"timings"', '"no_timings"')
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
  'odd index of a call': (events, random) =>
    changeOne(
      events,
      random,
      (chunk) => {
        const places = placesOf(chunk).filter(({ key }) => /^(index|id|name|arguments)$/.test(key))
        const { holder, key } = random.pick(places)
        holder[key] = random.pick([0, 1, -1, 9, 1e308, 1.5, null, '', 'x'])
      },
      (data) => data.includes('"tool_calls"'),
    ),
  'odd finish': (events, random) =>
    insert(
      events,
      random,
      chunkOf({}, random.pick(['abort', 'error', '', 7, true, 'stop', 'length', 'tool_calls'])),
    ),
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
  comments: (data, random) => `${random.chance(0.3) ? ': ping\n\n' : ''}data: ${data}\n\n`,
  fields: (data) => `event: message\nid: 7\nretry: 10\nother: x\ndata: ${data}\n\n`,
}

function frame(events: Events, how: string, random: Random): string {
  const render = FRAMES[how] ?? FRAMES['usual']!
  return events.map((data) => render(data, random)).join('')
}

function split(bytes: Buffer, random: Random): Buffer[] {
  if (random.chance(0.3)) return [bytes]
  const events = bytes.toString('latin1').match(/.*?\n\n|.+$/gs) ?? []
  // As engines send them, which is what the reader is fastest at.
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

/** Bytes that are changed below the level of events. */
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

/** Makes something of a recorded stream that an engine might send on a very bad day. */
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
  const framed = Buffer.from(frame(events, framing, random))
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
