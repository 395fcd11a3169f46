// The servers that a release needs, at an address that pods reach.
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine, type Answer } from '../../harness/fake-engine/server.ts'
import { startRealEngine } from '../../harness/engines/real-engine.ts'
import { startPostgres } from '../../harness/servers/postgres-server.ts'
import { startValkey } from '../../harness/servers/valkey.ts'
import { HOST } from './cluster.ts'

/** Inside the namespaces, which only the pods and the proof share. */
const ACCESS_FILE = '/tmp/pg_hba.conf'
const ENGINE_KEY = 'proof-engine-key'
const ENGINE_SLOTS = 4
/** Streams of several seconds cost little when their words are slow. */
const WORD_MS = 250
const WORD = chunk({ content: 'word ' })

export type Stores = {
  /** For this process. */
  readonly databaseUrl: string
  /** The keys of the Secret. */
  readonly secrets: Readonly<Record<string, string>>
  readonly scriptedUrl: string
  readonly llamaUrl: string
}

/** The prompt says how many words the engine sends. */
const talk: Answer = async ({ body, response }) => {
  const messages = body['messages'] as { content: string }[]
  const words = Number(messages.at(-1)?.content)
  begin(response).write(ROLE)
  for (let sent = 0; sent < words && !response.destroyed; sent += 1) {
    // time is under test: streams must be long enough to outlive the pods that are replaced.
    await pause(WORD_MS)
    response.write(WORD)
  }
  response.end(ending({ prompt: 10, completion: words }))
}

export async function startStores(running: AsyncDisposableStack): Promise<Stores> {
  writeFileSync(ACCESS_FILE, 'host all all 0.0.0.0/0 trust\n')
  const settings = [`hba_file=${ACCESS_FILE}`, 'listen_addresses=*']
  const postgres = running.use(await startPostgres({ migrated: false, settings }))
  const open = ['--bind', '0.0.0.0', '--protected-mode', 'no']
  const valkey = running.use(await startValkey({ args: open }))
  const flags = ['--host', '0.0.0.0', '--api-key', ENGINE_KEY]
  const llama = running.use(await startRealEngine(ENGINE_SLOTS, { flags }))
  const scripted = running.use(await startFakeEngine(talk, { host: HOST }))
  const fromPods = (url: string) => url.replace('127.0.0.1', HOST)
  return {
    databaseUrl: postgres.url,
    secrets: {
      HEADRACE_DATABASE_URL: fromPods(postgres.url),
      HEADRACE_VALKEY_URL: fromPods(valkey.url),
      HEADRACE_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64url'),
      HEADRACE_ENGINE_KEY: ENGINE_KEY,
    },
    scriptedUrl: scripted.url,
    llamaUrl: fromPods(llama.url),
  }
}
