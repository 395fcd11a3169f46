import { startEnvironment } from '../../harness/environment.ts'
import { openLine } from '../../harness/clients/http-client.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { chosenEngine } from '../../harness/engines/real-engine.ts'
import {
  AT_ONCE,
  converse,
  openConversations,
  readAnswer,
  type Answer,
  type Conversation,
  type Workload,
} from './converse.ts'
import { startEngines } from './engines.ts'

const MODEL = 'proof/fleet'
const REASONING = { supported_efforts: ['low', 'medium', 'high'], default_effort: 'medium' }
const TIMEOUT_MS = 60_000
/** Real engines on a busy machine may take long. */
const TURN_TIMEOUT_MS = 300_000
/** A turn that meets the engine that has just left is sent again, as clients do. */
const TRIES_MAX = 20
/** After an engine has left, until every process knows. */
const TURNS_AFTER = 3

/** The engines that ran the turns of each conversation, from the access logs. */
function followEngines() {
  const engines = new Map<string, string>()
  const turns: { readonly conversation: number; readonly requestId: string }[] = []
  return {
    onLog: (line: string) => {
      const { requestId, engine } = JSON.parse(line) as { requestId?: string; engine?: string }
      if (requestId !== undefined && engine) engines.set(requestId, engine)
    },
    note: (conversation: number, requestId: string) => turns.push({ conversation, requestId }),
    /** The engine of each turn, by conversation. */
    async read(): Promise<Map<number, string[]>> {
      const logged = () => turns.every(({ requestId }) => engines.has(requestId))
      await waitUntil('the log of every turn', logged, TIMEOUT_MS)
      const byConversation = Map.groupBy(turns, ({ conversation }) => conversation)
      const named = [...byConversation].map(([conversation, list]) => {
        return [conversation, list.map(({ requestId }) => engines.get(requestId) ?? '')] as const
      })
      return new Map(named)
    },
  }
}

/** The share of turns, without the first ones, that ran where the one before them had. */
function shareAtHome(engines: ReadonlyMap<number, readonly string[]>): number {
  const later = [...engines.values()].flatMap((names) =>
    names.slice(1).map((name, index) => name === names[index]),
  )
  return later.filter((isAtHome) => isAtHome).length / later.length
}

/** Caches are reused by one process only, once their engine has been checked. */
async function waitForReuse(apis: readonly HeadraceProcess[], engines: number): Promise<void> {
  for (const api of apis) {
    const inUse = async () => (await api.metric('headrace_prompt_caches_in_use')) === engines
    await waitUntil('all prompt caches to be in use', inUse, TIMEOUT_MS)
  }
}

/**
 * Runs the conversations through processes of Headrace, each turn through any of them, on engines
 * of their own. Then one engine leaves, and the conversations go on.
 */
export async function measureHeadrace(seed: number, workload: Workload, processes: number) {
  await using starting = new AsyncDisposableStack()
  const servers = await startEngines(starting)
  const isExclusive = processes === 1 && chosenEngine() === 'llama-server'
  const cache = isExclusive ? { prompt_cache: 'exclusive' as const } : {}
  const named = (index: number) => ({ name: `engine-${index}`, ...cache })
  const engines = servers.map(({ settings }, index) => ({ ...named(index), ...settings }))
  const names = engines.map(({ name }) => name)
  const models = [{ id: MODEL, engines: names, context_length: 4_096, reasoning: REASONING }]
  const followed = followEngines()
  const { onLog } = followed
  const access = { HEADRACE_API_ACCESS_LOG: 'true' }
  const options = { engines, models, onLog, valkey: 'own', environment: access } as const
  const environment = starting.use(await startEnvironment(options))
  const apis = await environment.startApis(processes)
  const lines = apis.map(({ apiRoot }) => starting.use(openLine(apiRoot, AT_ONCE, TURN_TIMEOUT_MS)))
  const { key } = await environment.openCaller()
  // Others than llama-server reuse caches from the first request on.
  if (isExclusive) await waitForReuse(apis, names.length)

  const conversations = openConversations(seed, workload)
  const send = async ({ index, messages }: Conversation, replyTokensMax: number) => {
    const body = { model: MODEL, messages, max_completion_tokens: replyTokensMax, seed: 1 }
    const { status, headers, text } = await conversations.random.pick(lines).chat(key, body)
    if (status !== 200) throw new Error(`a turn was rejected: ${status} ${text}`)
    followed.note(index, headers['x-request-id'] ?? '')
    return readAnswer(text)
  }
  const measured = await converse(conversations, workload, send)
  const before = await followed.read()
  const home = shareAtHome(before)

  await servers[0]?.kill()
  const sendAgain = async (...turn: Parameters<typeof send>): Promise<Answer> => {
    for (let tries = 1; tries < TRIES_MAX; tries += 1) {
      const answer = await send(...turn).catch(() => undefined)
      if (answer !== undefined) return answer
    }
    return send(...turn)
  }
  await converse(conversations, { ...workload, turns: TURNS_AFTER }, sendAgain)
  const after = await followed.read()
  const isMoved = (index: number) => after.get(index)?.at(-1) !== before.get(index)?.at(-1)
  const moved = conversations.list.filter(({ index }) => isMoved(index)).length
  return { ...measured, home, moved: moved / conversations.list.length }
}
