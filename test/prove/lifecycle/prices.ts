import { rename, writeFile } from 'node:fs/promises'
import { limitsOf, startEnvironment } from '../../harness/environment.ts'
import { openScripted } from '../../harness/fake-engine/stream-engines.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { readPosted } from '../../harness/seed/posted-usage.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { reload, TIMEOUT_MS } from './observe.ts'

const MODEL = 'life/priced'
const ROUNDS = 5
/** Tokens of each answer of the scripted engines. */
const TOKENS = 14

type Settings = { readonly price: number; readonly limit: number; readonly isServed?: boolean }

function settings(url: string, { price, limit, isServed = true }: Settings) {
  const prices = { input: price, output: price }
  const model = { owned_by: 'test', engines: ['one'], context_length: 4_096, price: prices }
  const plan = { models: 'all', billing: 'postpaid', limits: limitsOf({ requests_per_day: limit }) }
  return {
    engines: [{ name: 'one', kind: 'llama-server', url, slots: 64 }],
    models: [{ ...model, id: isServed ? MODEL : 'life/other' }],
    plans: { paid: plan },
    default_plan: 'paid',
    worker: { health_port: 0 },
  }
}

/** Each reload changes price and limit; the next request has both. Then the model is removed. */
export async function provePrices(run: ProofRun, url: string) {
  await using environment = await startEnvironment({ valkey: 'own' })
  const write = async (content: object) => {
    await writeFile(`${environment.file}.new`, JSON.stringify(content))
    await rename(`${environment.file}.new`, environment.file)
  }
  await write(settings(url, { price: 1, limit: 1_000 }))
  const api = await environment.startApi()
  await environment.startWorker()
  const { key } = await environment.openCaller('paid')
  const expected = new Map<string, number>()
  let limitsSeen = 0
  const ask = () => openScripted({ apiRoot: api.apiRoot, key }, MODEL, { mode: 'quick' }).chat
  for (let round = 0; round < ROUNDS; round += 1) {
    const [price, limit] = [round + 1, 1_000 + round]
    await write(settings(url, { price, limit }))
    const { result, problems } = await reload(api)
    if (result !== 'applied') run.fail(`reload rejected: ${problems.join('; ')}`)
    const chat = ask()
    await chat.ended
    if (chat.status !== 200) run.fail(`priced: ${chat.status} ${chat.text.slice(-160)}`)
    expected.set(chat.requestId, price * TOKENS)
    if (chat.headers['x-ratelimit-limit-requests-day'] === String(limit)) limitsSeen += 1
  }
  if (limitsSeen !== ROUNDS) run.fail(`${ROUNDS - limitsSeen} requests had an old limit`)
  const posted = async () => (await readPosted(environment.postgres.pool)).length
  const arePosted = async () => (await posted()) === ROUNDS
  await waitUntil(`${ROUNDS} records`, arePosted, TIMEOUT_MS, { seen: posted })
  let wrong = 0
  for (const { id, cost } of await readPosted(environment.postgres.pool))
    if (expected.get(id) !== cost) wrong += 1
  if (wrong > 0) run.fail(`${wrong} records have a wrong cost`)
  await write(settings(url, { price: 1, limit: 1_000, isServed: false }))
  await reload(api)
  const removed = ask()
  await removed.ended
  if (removed.status !== 404) run.fail(`a removed model answered ${removed.status}`)
  return { price_changes: ROUNDS, wrong_costs: wrong }
}
