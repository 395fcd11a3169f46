// What an observer of the encrypted stream sees says next to nothing about what is in it.
import { parseArgs } from 'node:util'
import { openLine } from '../harness/http-client.ts'
import type { Config } from '../../src/config/load.ts'
import { startService, type Service } from '../harness/service.ts'
import { entropy } from './leak/entropy.ts'
import { openObservedWay, type ObservedWay } from './leak/observed-way.ts'
import { speakLikeOpenai } from './leak/openai-padding.ts'
import { startRehearsedEngine, type RehearsedEngine, type Seen } from './leak/rehearsed-engine.ts'
import { broken, gathered, stepsOf, TOOLS, type Step } from './leak/steps.ts'
import type { CorpusName } from './leak/texts.ts'
import { createRandom } from '../harness/random.ts'

const CORPORA: readonly CorpusName[] = ['english', 'code', 'chinese', 'arguments']
const STREAM_TOKENS = 500
const FAST_STREAMS = 40
const SOAK_STREAMS = 400
/** The other forms only stand beside ours, so fewer streams tell enough of them. */
const BESIDE_STREAMS = 4
const ERROR_EVERY = 6
/** Most tokens that an engine sends at once when it is read late. */
const READ_TOKENS_MAX = 6
const MODEL = 'proof/rehearsed'

const BITS_MAX = 0.01
const BYTES_MAX = 1.45
const RECORD_HEAD_BYTES = 5

type World = {
  readonly way: ObservedWay
  readonly service: Service
  readonly engine: RehearsedEngine
  /** Pads as OpenAI does, over the same way. */
  readonly openai: RehearsedEngine
  readonly key: string
}

type Form = 'ours' | 'plain' | 'openai'

function streamsOf(corpus: CorpusName, count: number, seed: number): Step[][] {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, index) => {
    const steps = stepsOf(corpus, STREAM_TOKENS, random)
    return index % ERROR_EVERY === ERROR_EVERY - 1 ? broken(steps) : steps
  })
}

/** Sends every stream over the wire in one form, and gives what was seen of each. */
async function send(
  world: World,
  form: Form,
  corpus: CorpusName,
  streams: readonly Step[][],
): Promise<Seen[][]> {
  const { way, service, key } = world
  const speaker = form === 'openai' ? world.openai : world.engine
  const { port, pathname } = new URL(service.apiRoot)
  const stream_options = { include_usage: true, include_obfuscation: form !== 'plain' }
  const messages = [{ role: 'user', content: 'Speak.' }]
  const tools = corpus === 'arguments' ? { tools: TOOLS } : {}
  const body = JSON.stringify({ model: MODEL, messages, stream: true, stream_options, ...tools })
  const head =
    `POST ${pathname}/chat/completions HTTP/1.1\r\nhost: proof\r\nconnection: close\r\n` +
    `authorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  const all: Seen[][] = []
  for (const steps of streams) {
    const seen: Seen[] = []
    speaker.rehearse(steps, seen)
    await way.ask(form === 'openai' ? speaker.port : Number(port), head, body)
    all.push(seen)
  }
  return all
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Bytes on the wire of one step, without the head of the answer that came with the first. */
function bytesSeen({ records, text }: Seen, first: boolean): number {
  const headBytes = first ? text.indexOf('\r\n\r\n') + 4 : 0
  return sum(records) - headBytes
}

/**
 * Sizes are a function of what is sent, so their entropy is all that they can tell. Where a write
 * stands in its stream everyone sees, first or last, so each is compared with its like.
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

/** Every event by itself, whatever its kind: role, finish, usage and error as well. */
function bitsOfEvents(streams: readonly Seen[][]): number {
  return bitsOf(streams, ({ text }) =>
    [...text.matchAll(/^data: \{.*\} *\n\n/gm)].map(([event]) => Buffer.byteLength(event)),
  )
}

function bytesOf(streams: readonly Seen[][]): number {
  return sum(streams.flat().map(({ records }) => sum(records) + records.length * RECORD_HEAD_BYTES))
}

/** Which kinds come in which sizes, for whoever has to find a leak. */
function printSizes(corpus: CorpusName, streams: readonly Seen[][]): void {
  const sizes = new Map<string, Map<number, number>>()
  for (const seen of streams) {
    for (const [index, one] of seen.entries()) {
      if (one.text === '') continue
      const place = index === 0 ? 'first ' : index === seen.length - 1 ? 'last ' : ''
      const of = sizes.get(place + one.kind) ?? new Map<number, number>()
      const size = bytesSeen(one, index === 0)
      sizes.set(place + one.kind, of.set(size, (of.get(size) ?? 0) + 1))
    }
  }
  for (const [kind, of] of sizes) {
    const told = [...of].toSorted(([, one], [, other]) => other - one)
    const shown = told.slice(0, 6).map(([size, count]) => `${size}×${count}`)
    console.log(`  ${corpus} ${kind}: ${shown.join(' ')}${told.length > 6 ? ' …' : ''}`)
  }
}

type Finding = {
  readonly events: number
  readonly writes: number
  /** With several tokens in a read, which an observer of bursts sees anyhow. */
  readonly gathered: number
  readonly openai: number
  readonly plain: number
  readonly bytes: number
}

async function judge(
  world: World,
  corpus: CorpusName,
  count: number,
  seed: number,
): Promise<Finding> {
  const streams = streamsOf(corpus, count, seed)
  const ours = await send(world, 'ours', corpus, streams)
  const beside = streams.slice(0, BESIDE_STREAMS)
  const plain = await send(world, 'plain', corpus, beside)
  const openai = await send(world, 'openai', corpus, beside)
  const random = createRandom(seed)
  const reads = beside.map((steps) => gathered(steps, READ_TOKENS_MAX, random))
  const together = await send(world, 'ours', corpus, reads)
  printSizes(corpus, ours)
  const finding = {
    events: bitsOfEvents(ours),
    writes: bitsOfWrites(ours),
    gathered: bitsOfWrites(together),
    openai: bitsOfWrites(openai),
    plain: bitsOfWrites(plain),
    bytes: bytesOf(ours.slice(0, BESIDE_STREAMS)) / bytesOf(plain),
  }
  const bits = (value: number) => value.toFixed(4)
  console.log(
    `${corpus}: bits per event ${bits(finding.events)}, per write ${bits(finding.writes)}, ` +
      `gathered ${bits(finding.gathered)}, openai ${bits(finding.openai)}, ` +
      `without padding ${bits(finding.plain)}, ` +
      `bytes ×${finding.bytes.toFixed(3)}`,
  )
  return finding
}

function withRehearsed(config: Config, url: string): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  const name = 'rehearsed'
  return {
    ...config,
    engines: [...config.engines, { name, kind: 'llama-server', url, slots: 4 }],
    models: [...config.models, { ...model, id: MODEL, engines: [name] }],
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const count = values.soak ? SOAK_STREAMS : FAST_STREAMS
  await using way = await openObservedWay()
  await using engine = await startRehearsedEngine(way)
  await using openai = await startRehearsedEngine(way, speakLikeOpenai)
  // Every token is seen by itself, as on a process with time to spare.
  const unpaced = (config: Config) => ({ ...config, api: { ...config.api, read_pause_seconds: 0 } })
  await using service = await startService((config) => withRehearsed(unpaced(config), engine.url))
  const { key } = await service.createCaller()
  // The first request of an organization is admitted in another way; it is not to be measured.
  await using line = openLine(service.apiRoot, 1)
  await line.models(key)
  const world: World = { way, service, engine, openai, key }
  const findings: Finding[] = []
  for (const [index, corpus] of CORPORA.entries())
    findings.push(await judge(world, corpus, count, seed + index))
  const each = (pick: (finding: Finding) => number, digits: number) =>
    findings.map((finding) => pick(finding).toFixed(digits)).join('/')
  const worst = (pick: (finding: Finding) => number) => Math.max(...findings.map(pick))
  console.log(
    `leak: tokens=${count * STREAM_TOKENS}x${CORPORA.length} ` +
      `event_bits=${each(({ events }) => events, 4)} ` +
      `write_bits=${each(({ writes }) => writes, 4)} ` +
      `gathered_bits=${each((finding) => finding.gathered, 4)} ` +
      `openai_bits=${each(({ openai: bits }) => bits, 2)} ` +
      `plain_bits=${each(({ plain }) => plain, 2)} ` +
      `bytes=${each(({ bytes }) => bytes, 3)} seed=${seed}`,
  )
  return (
    worst(({ events }) => events) <= BITS_MAX &&
    worst(({ writes }) => writes) <= BITS_MAX &&
    worst(({ bytes }) => bytes) <= BYTES_MAX
  )
}

process.exitCode = (await main()) ? 0 : 1
