import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { modelOn, startEnvironment } from '../../harness/environment.ts'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../../harness/fake-engine/server.ts'
import { openLine } from '../../harness/clients/http-client.ts'

/** A stream recorded from a real vLLM. */
const RECORDED = new URL('../../engines/fixtures/vllm-0.32.0-real/text-cached.sse', import.meta.url)
const [FEW, MANY] = [32, 160]
const PROMPT_BYTES = 200 * 1024
const CONNECTIONS = 8
const MICROSECONDS = 1_000_000
const MODEL = modelOn('one')
const WORD = ' word'
/** As an event has it. */
const CONTENT = `"content":"${WORD}"`
const MESSAGES = [{ role: 'user', content: 'Hi' }]
/** The length of an HTTP chunk, before and after it. */
const CHUNK_FRAME = 7

export type ApiFigures = {
  readonly clientEventBytes: number
  /** A stream without its tokens: heads, first and last events. */
  readonly clientRequestBytes: number
  readonly engineEventBytes: number
  readonly processMib: number
  /** Undefined if no prompts were sent. */
  readonly promptKibMicros: number | undefined
}

/** What a stream takes on its way, and so many prompts of two sizes in a real process. */
export async function measureApi(prompts: number): Promise<ApiFigures> {
  const reader = new EventEmitter()
  // The next token is written when the client has the one before, so that no two share a write,
  // however slow the machine is.
  await using engine = await startFakeEngine(async ({ body, response }) => {
    const tokens = Number(body['max_tokens'] ?? body['max_completion_tokens'])
    begin(response).write(ROLE)
    for (let token = 1; token <= tokens; token += 1) {
      const received = body['seed'] === 1 ? once(reader, `${token}`) : undefined
      response.write(chunk({ content: WORD }))
      await received
    }
    response.end(ending({ prompt: 10, completion: tokens }))
  })
  const model = { id: MODEL, engines: ['one'], context_length: 1_000_000 }
  await using environment = await startEnvironment({
    engines: [{ name: 'one', url: engine.url, kind: 'vllm' }],
    models: [model],
  })
  const api = await environment.startApi()
  const { key } = await environment.openCaller()
  const stream = (tokens: number) => receive(api.apiRoot, key, tokens, reader)
  await stream(FEW)
  const [few, many] = [await stream(FEW), await stream(MANY)]
  const clientEventBytes = (many - few) / (MANY - FEW)
  const processMib = api.residentBytes() / 2 ** 20
  const measurePrompt = async () => {
    const [small, large] = [await cpuOf(2), await cpuOf(PROMPT_BYTES)]
    return (large - small) / (PROMPT_BYTES / 1024)
  }
  return {
    clientEventBytes,
    clientRequestBytes: few - FEW * clientEventBytes,
    engineEventBytes: recordedEventBytes() + CHUNK_FRAME,
    processMib,
    promptKibMicros: prompts === 0 ? undefined : await measurePrompt(),
  }

  /** Processor time of a JSON request whose prompt has so many bytes. */
  async function cpuOf(bytes: number): Promise<number> {
    await using line = openLine(api.apiRoot, CONNECTIONS)
    const messages = [{ role: 'user', content: 'word '.repeat(Math.ceil(bytes / 5)) }]
    const body = { model: MODEL, messages, max_tokens: 1 }
    const send = async (count: number) => {
      let begun = 0
      const work = async () => {
        while (begun++ < count) {
          const { status } = await line.chat(key, body)
          if (status !== 200) throw new Error(`a request was answered with ${status}`)
        }
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, work))
    }
    await send(prompts / 2)
    const before = api.cpuSeconds()
    await send(prompts)
    return ((api.cpuSeconds() - before) / prompts) * MICROSECONDS
  }
}

/** The bytes of a stream of so many tokens, with its head. Tells `reader` each that arrived. */
function receive(
  apiRoot: string,
  key: string,
  tokens: number,
  reader: EventEmitter,
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const url = `${apiRoot}/chat/completions`
  const sent = request(url, { method: 'POST', agent: false, headers }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`the stream was ${response.statusCode}`))
    const { socket } = response
    let [text, received] = ['', 0]
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part
      while (received < text.split(CONTENT).length - 1) reader.emit(`${(received += 1)}`)
    })
    response.on('end', () => resolve(socket.bytesRead))
  })
  sent.on('error', reject)
  const body = { model: MODEL, messages: MESSAGES, stream: true, max_tokens: tokens, seed: 1 }
  sent.end(JSON.stringify(body))
  return promise
}

/** The mean of a real engine's events with a token. */
function recordedEventBytes(): number {
  const events = readFileSync(RECORDED, 'utf8').split(/(?<=\n\n)/)
  const tokens = events.filter((event) => /"delta":\{"(content|reasoning)":"[^"]/.test(event))
  return tokens.reduce((sum, event) => sum + Buffer.byteLength(event), 0) / tokens.length
}
