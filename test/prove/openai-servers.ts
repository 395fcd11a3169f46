// Servers that are no known kind answer, are isolated and are billed by what they can do.
// covers: src/engines/adapters/openai/** src/engines/adapters/probe/** src/config/capabilities.ts
import { readFile, writeFile } from 'node:fs/promises'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { waitUntilPosted } from '../harness/load/metered.ts'
import { readPosted } from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import type { Caller } from '../harness/seed/tenants.ts'
import {
  askOf,
  readServers,
  reportOf,
  sendTo,
  tableOf,
  type TriedServer,
} from './openai-servers/tried-server.ts'

const CONTEXT = 4_096
/** Of a long generation on a slow server. */
const TIMEOUT_MS = 60_000
const LONG_OUTPUT = 600
const OWNER = 'the-owner'

const WORD = { type: 'object', properties: { word: { enum: ['zorb'] } }, required: ['word'] }
const TOOLS = [{ type: 'function', function: { name: 'look_up', parameters: WORD } }]
const FORMAT = { type: 'json_schema', json_schema: { name: 'word', schema: WORD } }
const STORY = [{ role: 'user', content: 'Tell a very long story about a river, with numbers.' }]

type Setting = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly api: HeadraceProcess
  readonly server: TriedServer
  readonly owner: Caller
  readonly other: Caller
  readonly held: string[]
}

const isWord = (text: string | null | undefined) => {
  try {
    return (JSON.parse(text ?? '') as { word?: string }).word === 'zorb'
  } catch {
    return false
  }
}

function check({ run, server, held }: Setting, what: string, holds: boolean, seen?: unknown) {
  if (holds) held.push(`${server.name}: ${what}`)
  else run.fail(`${server.name}: not so: ${what} ${JSON.stringify(seen ?? '')}`)
}

/** Answers, streams and counts, whatever the server can do. */
async function proveAnswers(setting: Setting): Promise<void> {
  const { api, server, other } = setting
  const answer = await askOf(api, other, server.name)
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = answer.usage ?? {}
  check(setting, 'text is answered', !!answer.choices?.[0]?.message.content, answer)
  check(setting, 'tokens are counted or estimated', prompt > 0 && completion > 0, answer.usage)
  const stream = await sendTo(api, other, server.name, { stream: true })
  check(setting, 'a stream is complete', (await stream.text()).endsWith('data: [DONE]\n\n'))
  const offered = await askOf(api, other, server.name, { tools: TOOLS })
  check(setting, 'tools are accepted', offered.status === 200, offered)
}

/** What the probe has found is kept, and the rest is refused at once. */
async function proveEnforced(setting: Setting): Promise<void> {
  const { api, server, other } = setting
  const found = (await reportOf(api)).engines[server.name] ?? {}
  const forced = await askOf(api, other, server.name, { tools: TOOLS, tool_choice: 'required' })
  const call = forced.choices?.[0]?.message.tool_calls?.[0]?.function
  const isKept = found['tool_choice'] === true ? isWord(call?.arguments) : isRefused(forced)
  check(setting, 'a forced call follows its schema, or is 400', isKept, forced)
  const formatted = await askOf(api, other, server.name, { response_format: FORMAT })
  const isFollowed = isWord(formatted.choices?.[0]?.message.content)
  const isRight = found['json_schema'] === true ? isFollowed : isRefused(formatted)
  check(setting, 'a schema is followed, or is 400', isRight, formatted)
  const messages = [{ role: 'user', content: 'The river runs to the sea. '.repeat(1_000) }]
  const long = await askOf(api, other, server.name, { messages })
  check(setting, 'a prompt that is too long is 400', long.status === 400, long)
}

function isRefused({ status, error }: { status: number; error?: { code: string } }): boolean {
  return status === 400 && error?.code === 'unsupported_value'
}

/** Returns how many tokens of another's prompt the server had cached, where that is allowed. */
async function proveIsolation(setting: Setting): Promise<string> {
  const { api, server, owner, other } = setting
  const content = `${setting.run.seed} `.repeat(40)
  const asked = { messages: [{ role: 'user', content }], max_completion_tokens: 4 }
  const own = `${server.name}-private`
  const first = await askOf(api, owner, own, asked)
  check(setting, 'its organization is served', first.status === 200, first)
  const refused = await askOf(api, other, own, asked)
  check(setting, 'another organization is not', refused.error?.code === 'model_not_found', refused)
  const seen = await askOf(api, other, server.name, asked)
  const { prompt_tokens: prompt = 0, prompt_tokens_details: details } = seen.usage ?? {}
  return `${details?.cached_tokens ?? 0} of ${prompt}`
}

/** A client that leaves is billed, and its slot is free when the server is. */
async function proveLeaving(setting: Setting): Promise<string> {
  const { environment, api, server } = setting
  const caller = await environment.openCaller()
  const leaving = new AbortController()
  const asked = { messages: STORY, stream: true, max_completion_tokens: LONG_OUTPUT }
  const response = await sendTo(api, caller, server.name, asked, leaving.signal)
  await response.body?.getReader().read()
  leaving.abort()
  const isFree = async () => (await reportOf(api)).states?.[server.name]?.slots_in_use === 0
  const freeMs = await timeUntil(isFree, TIMEOUT_MS)
  check(setting, 'the slot of a client that left is free in the end', freeMs !== null)
  await waitUntilPosted(environment.valkey)
  const records = await readPosted(environment.postgres.pool)
  const record = records.find(({ organization }) => organization === caller.organizationId)
  const isBilled = record?.outcome === 'abandoned' && record.prompt > 0
  check(setting, 'a client that left is billed', isBilled, record)
  return freeMs === null ? 'never' : `${(freeMs / 1000).toFixed(1)} s`
}

function settingsOf(servers: readonly TriedServer[], capabilities: object) {
  const common = { kind: 'openai' as const, slots: 1 }
  const engines = servers.flatMap(({ name, url, model: model_name }) => [
    { ...common, name, url, model_name, capabilities: { cache: 'shared', ...capabilities } },
    { ...common, name: `${name}-private`, url, model_name, organization: OWNER },
  ])
  const models = engines.map(({ name }) => ({ id: name, engines: [name], context_length: CONTEXT }))
  return { engines, models, valkey: 'own' as const }
}

async function prove(run: ProofRun, servers: readonly TriedServer[], capabilities: object) {
  await using environment = await startEnvironment(settingsOf(servers, capabilities))
  const [owner, other] = [await environment.openCaller(), await environment.openCaller()]
  const text = await readFile(environment.file, 'utf8')
  await writeFile(environment.file, text.replaceAll(OWNER, owner.organizationId))
  const api = await environment.startApi({ HEADRACE_API_PROBE_ENGINES: 'true' })
  await environment.startWorker()
  const isProbed = async () => {
    const probes = Object.values((await reportOf(api)).engines)
    return probes.length === 2 * servers.length && probes.every((probe) => probe !== null)
  }
  await waitUntil('the servers to be probed', isProbed, TIMEOUT_MS)
  const held: string[] = []
  const more = new Map<string, Record<string, string>>()
  for (const server of servers) {
    const setting = { run, environment, api, server, owner, other, held }
    await proveAnswers(setting)
    await proveEnforced(setting)
    const leaked = await proveIsolation(setting)
    const left = await proveLeaving(setting)
    more.set(server.name, { "tokens of another's prompt": leaked, 'slot free after leaving': left })
  }
  console.log(tableOf((await reportOf(api)).engines, servers, more))
  return { servers: servers.length, held: held.length, failed: run.failures.length }
}

await runProof(
  'openai-servers',
  async (run) => {
    const { servers } = run.values
    if (servers !== undefined) return prove(run, readServers(servers), {})
    await using llama = await startRealEngine(4)
    const server = { name: 'llama-server', url: llama.url, model: 'pebble' }
    return await prove(run, [server], { abort: 'disconnect' })
  },
  { servers: { type: 'string' } },
)
