import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { Work } from './servers.ts'
import { FIRST, SECOND, type Api, type World } from './world.ts'

/** Clients that ask for more than the servers hold, as long as it is not disposed of. */
export type Load = AsyncDisposable & { readonly statuses: ReadonlyMap<number, number> }

const ORGANIZATIONS = 4
/** All servers together have fewer slots. */
const CLIENTS_OF_FIRST = 48
const CLIENTS_OF_SECOND = 4
const WORK_MS_MIN = 600
const WORK_MS_MAX = 1_000
/** A client that was refused asks again after it. */
const PAUSE_MS = 100

export async function startLoad(world: World): Promise<Load> {
  const { run, environment, apis } = world
  const stop = new AbortController()
  const statuses = new Map<number, number>()
  const organizations = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, () => environment.openCaller()),
  )
  const ask = async (model: string) => {
    const { key, organizationId: organization } = run.random.pick(organizations)
    const ms = run.random.between(WORK_MS_MIN, WORK_MS_MAX)
    const { status, text } = await send(run.random.pick(apis), key, model, { ms, organization })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    // An engine that leaves or refuses is 404, 502 or 503; nothing here is an error of our own.
    if (status === 500) run.fail(`500 ${text.slice(0, 160)}`)
    return status === 200
  }
  const runClient = async (model: string) => {
    while (!stop.signal.aborted) {
      const isAnswered = await ask(model)
      // pacing: refused clients would otherwise ask all the time.
      if (!isAnswered) await pause(PAUSE_MS)
    }
  }
  const clients = [
    ...Array.from({ length: CLIENTS_OF_FIRST }, () => runClient(FIRST)),
    ...Array.from({ length: CLIENTS_OF_SECOND }, () => runClient(SECOND)),
  ]
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(clients)
    },
  }
}

/** Status 0 if the process is gone. */
async function send({ process }: Api, key: string, model: string, work: Work) {
  const body = { model, messages: [{ role: 'user', content: JSON.stringify(work) }] }
  try {
    const answer = await request(`${process.apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch {
    return { status: 0, text: '' }
  }
}
