// The sizes that an observer of the encrypted stream sees say next to nothing about its content.
// covers: src/http/event-stream.ts src/inference/chunk-events.ts
import type { Config } from '../../src/config/load.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { percentile } from '../harness/figures/measure.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { createRandom } from '../harness/figures/random.ts'
import { startService } from '../harness/processes/service.ts'
import { openObservedPath, type ObservedPath } from './leak/observed-path.ts'
import {
  startRehearsedEngine,
  writeLikeOpenai,
  type RehearsedEngine,
  type Seen,
} from './leak/rehearsed-engine.ts'
import { cutByError, gather, stepsOf, TOOLS, type Step } from './leak/steps.ts'
import type { CorpusName } from './leak/texts.ts'

const CORPORA: readonly CorpusName[] = ['english', 'code', 'chinese', 'arguments']
const STREAM_TOKENS = 500
const FAST_STREAMS = 40
const SOAK_STREAMS = 400
/** The other forms are for comparison only, so fewer streams are enough. */
const COMPARED_STREAMS = 4
const ERROR_EVERY = 6
/** Most tokens that an engine sends at once when it is read late. */
const READ_TOKENS_MAX = 6
const MODEL = 'proof/rehearsed'

const BITS_MAX = 0.01
const BYTES_MAX = 1.45
const RECORD_HEAD_BYTES = 5

type Setting = {
  readonly path: ObservedPath
  readonly apiRoot: string
  readonly key: string
  readonly engine: RehearsedEngine
  /** Pads as OpenAI does, over the same path. */
  readonly openai: RehearsedEngine
}

function streamsOf(corpus: CorpusName, count: number, seed: number): Step[][] {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, index) => {
    const steps = stepsOf(corpus, STREAM_TOKENS, random)
    return index % ERROR_EVERY === ERROR_EVERY - 1 ? cutByError(steps) : steps
  })
}

/** Sends every stream over the wire in one form; returns what was seen of each. */
async function send(
  { path, apiRoot, key, engine, openai }: Setting,
  form: 'ours' | 'plain' | 'openai',
  corpus: CorpusName,
  streams: readonly Step[][],
): Promise<Seen[][]> {
  const sender = form === 'openai' ? openai : engine
  const { port, pathname } = new URL(apiRoot)
  const stream_options = { include_usage: true, include_obfuscation: form !== 'plain' }
  const messages = [{ role: 'user', content: 'Speak.' }]
  const tools = corpus === 'arguments' ? { tools: TOOLS } : {}
  const body = JSON.stringify({ model: MODEL, messages, stream: true, stream_options, ...tools })
  const head =
    `POST ${pathname}/chat/completions HTTP/1.1\r\nhost: proof\r\nconnection: close\r\n` +
    `authorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  const all: Seen[][] = []
  for (const steps of streams) {
    const seen = sender.rehearse(steps)
    await path.ask(form === 'openai' ? sender.port : Number(port), head, body)
    all.push(await seen)
  }
  return all
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function countEach<Value>(values: readonly Value[]): Map<Value, number> {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** In bits for each of the values. */
function entropy(values: readonly number[]): number {
  const shares = [...countEach(values).values()].map((count) => count / values.length)
  return -sum(shares.map((share) => share * Math.log2(share)))
}

/** Bytes on the wire of one step, without the head of the answer that came with the first. */
function bytesSeen({ records, text }: Seen, first: boolean): number {
  const headBytes = first ? text.indexOf('\r\n\r\n') + 4 : 0
  return sum(records) - headBytes
}

/**
 * Sizes are a function of what is sent, so their entropy bounds what they reveal. An observer can
 * tell the first and the last write of a stream, so each is compared with its like.
 */
function bitsOf(streams: readonly Seen[][], sizesOf: (one: Seen, first: boolean) => number[]) {
  const parts = [
    streams.flatMap((seen) => seen.slice(0, 1).flatMap((one) => sizesOf(one, true))),
    streams.flatMap((seen) => seen.slice(1, -1).flatMap((one) => sizesOf(one, false))),
    streams.flatMap((seen) => seen.slice(-1).flatMap((one) => sizesOf(one, false))),
  ]
  const count = sum(parts.map(({ length }) => length))
  return sum(parts.map((sizes) => (entropy(sizes) * sizes.length) / count))
}

function bitsOfWrites(streams: readonly Seen[][]): number {
  return bitsOf(streams, (one, first) => (one.text === '' ? [] : [bytesSeen(one, first)]))
}

/** Every event of every kind: role, finish, usage and error as well. */
function bitsOfEvents(streams: readonly Seen[][]): number {
  return bitsOf(streams, ({ text }) =>
    [...text.matchAll(/^data: \{.*\} *\n\n/gm)].map(([event]) => Buffer.byteLength(event)),
  )
}

function bytesOf(stream: readonly Seen[]): number {
  return sum(stream.map(({ records }) => sum(records) + records.length * RECORD_HEAD_BYTES))
}

/** Prints which kinds come in which sizes, to help find a leak. */
function printSizes(corpus: CorpusName, streams: readonly Seen[][]): void {
  const writes = streams.flatMap((seen) =>
    seen.map((one, index) => {
      const place = index === 0 ? 'first ' : index === seen.length - 1 ? 'last ' : ''
      return { kind: place + one.kind, text: one.text, size: bytesSeen(one, index === 0) }
    }),
  )
  const written = writes.filter(({ text }) => text !== '')
  for (const [kind, some] of Map.groupBy(written, (write) => write.kind)) {
    const counts = [...countEach(some.map(({ size }) => size))].toSorted(([, a], [, b]) => b - a)
    const shown = counts.slice(0, 6).map(([size, count]) => `${size}×${count}`)
    console.log(`  ${corpus} ${kind}: ${shown.join(' ')}${counts.length > 6 ? ' …' : ''}`)
  }
}

/** Bits for each event or write, and bytes as a multiple of those without padding. */
type Finding = Record<'events' | 'writes' | 'gathered' | 'openai' | 'plain' | 'bytes', number>

async function measure(
  setting: Setting,
  corpus: CorpusName,
  count: number,
  seed: number,
): Promise<Finding> {
  const streams = streamsOf(corpus, count, seed)
  const ours = await send(setting, 'ours', corpus, streams)
  const compared = streams.slice(0, COMPARED_STREAMS)
  const plain = await send(setting, 'plain', corpus, compared)
  const openai = await send(setting, 'openai', corpus, compared)
  const random = createRandom(seed)
  // With several tokens in a read, which an observer of bursts sees anyhow.
  const reads = compared.map((steps) => gather(steps, READ_TOKENS_MAX, random))
  const gathered = await send(setting, 'ours', corpus, reads)
  printSizes(corpus, ours)
  return {
    events: bitsOfEvents(ours),
    writes: bitsOfWrites(ours),
    gathered: bitsOfWrites(gathered),
    openai: bitsOfWrites(openai),
    plain: bitsOfWrites(plain),
    // A busy machine now and then writes several tokens of a stream at once.
    bytes: percentile(
      plain.map((seen, index) => bytesOf(ours[index] ?? []) / bytesOf(seen)),
      0.5,
    ),
  }
}

function withRehearsed(config: Config, url: string): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  const name = 'rehearsed'
  return {
    ...config,
    engines: [
      ...config.engines,
      { name, kind: 'llama-server', url, slots: 4, prompt_cache: 'auto' },
    ],
    models: [...config.models, { ...model, id: MODEL, engines: [name] }],
  }
}

async function prove(run: ProofRun): Promise<Figures> {
  const count = run.soak ? SOAK_STREAMS : FAST_STREAMS
  await using path = await openObservedPath()
  await using engine = await startRehearsedEngine(path)
  await using openai = await startRehearsedEngine(path, writeLikeOpenai)
  await using service = await startService(
    (config) => withRehearsed(config, engine.url),
    // Every token is seen alone, as on a process with time to spare.
    { readPauseMsMax: 0 },
  )
  const { apiRoot } = service
  const { key } = await service.createCaller()
  // The first request of an organization is admitted in another way, so it is not measured.
  await using line = openLine(apiRoot, 1)
  await line.models(key)
  const findings: Finding[] = []
  for (const [index, corpus] of CORPORA.entries())
    findings.push(
      await measure({ path, apiRoot, key, engine, openai }, corpus, count, run.seed + index),
    )
  const bars = { events: BITS_MAX, writes: BITS_MAX, bytes: BYTES_MAX } as const
  for (const [index, finding] of findings.entries())
    for (const name of Object.keys(bars) as (keyof typeof bars)[])
      if (!(finding[name] <= bars[name]))
        run.fail(`${CORPORA[index]}: ${name} ${finding[name]} is above ${bars[name]}`)
  const each = (name: keyof Finding, digits: number) =>
    findings.map((finding) => finding[name].toFixed(digits)).join('/')
  return {
    tokens: `${count * STREAM_TOKENS}x${CORPORA.length}`,
    event_bits: each('events', 4),
    write_bits: each('writes', 4),
    gathered_bits: each('gathered', 4),
    openai_bits: each('openai', 2),
    plain_bits: each('plain', 2),
    bytes: each('bytes', 3),
  }
}

await runProof('leak', prove)
