import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { startEnvironment, modelOn } from '../../harness/environment.ts'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../../harness/fake-engine/server.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'

// Two processes with the same settings differ by more than tracing costs, so each mode is started
// several times. Many short rounds: some are undisturbed even on a machine with other work.
const STARTS = 6
const ROUNDS = 12
const WARMING_ROUNDS = 4
const REQUESTS = 500
const CONCURRENT = 16
const MODES = { off: undefined, one_percent: 0.01, all: 1 } as const

type Mode = keyof typeof MODES

/** The least processor time of a request in µs, by how much is traced. The modes take turns. */
export async function measureCost(endpoint: string): Promise<Record<Mode, number>> {
  const answer =
    ROLE + chunk({ content: 'word ' }).repeat(10) + ending({ prompt: 10, completion: 10 })
  await using engine = await startFakeEngine(({ response }) => void begin(response).end(answer))
  const least = { off: Infinity, one_percent: Infinity, all: Infinity }
  for (let start = 0; start < STARTS; start += 1)
    for (const [mode, ratio] of Object.entries(MODES) as [Mode, number | undefined][]) {
      const tracing = ratio === undefined ? {} : { endpoint, sample_ratio: ratio }
      least[mode] = Math.min(least[mode], await measureStart(engine.url, tracing))
    }
  return least
}

/** The least of the rounds of a new process. */
async function measureStart(engineUrl: string, tracing: object): Promise<number> {
  const engines = [{ name: 'one', url: engineUrl }]
  await using environment = await startEnvironment({
    engines,
    valkey: 'own',
    sections: { tracing },
  })
  const api = await environment.startApi()
  const { key } = await environment.openCaller()
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT })
  using _closing = { [Symbol.dispose]: () => agent.destroy() }
  let least = Infinity
  for (let round = 0; round < WARMING_ROUNDS + ROUNDS; round += 1) {
    const cost = await measureRound(api, key, agent)
    if (round >= WARMING_ROUNDS) least = Math.min(least, cost)
  }
  return least
}

async function measureRound(api: HeadraceProcess, key: string, agent: Agent): Promise<number> {
  const before = cpuNanoseconds(api.child.pid)
  let left = REQUESTS
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await ask(api.apiRoot, key, agent)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, worker))
  return (cpuNanoseconds(api.child.pid) - before) / REQUESTS / 1000
}

/** Of all threads, finer than the hundredths of a second of `cpuSeconds`. */
function cpuNanoseconds(pid: number | undefined): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const used = threads.map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'),
  )
  return used.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0)
}

const BODY = JSON.stringify({
  model: modelOn('one'),
  messages: [{ role: 'user', content: 'Hello' }],
})

function ask(apiRoot: string, key: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = request(`${apiRoot}/chat/completions`, { method: 'POST', agent, headers })
  sent.on('error', reject)
  sent.on('response', (response) => {
    if (response.statusCode !== 200) reject(new Error(`responded ${response.statusCode}`))
    response.resume().on('end', resolve)
  })
  sent.end(BODY)
  return promise
}
