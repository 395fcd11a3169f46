// Nothing that an organization can count or time depends on the prompts of another.
// engines: llama-server vllm sglang
// covers: src/engines/fleet/caches/** src/engines/adapters/**
import { startEnvironment } from '../harness/environment.ts'
import { chosenEngine, startRealEngine } from '../harness/engines/real-engine.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { createSecret, openTenant, sendPrompt } from './isolation/guess.ts'
import { proveSalted } from './isolation/salted.ts'
import { proveSalts } from './isolation/salts.ts'
import { proveShared } from './isolation/shared.ts'
import {
  CACHED_ENGINES,
  proveConversations,
  proveMixed,
  proveTakeovers,
  waitForReuse,
} from './isolation/takeovers.ts'

const FAST = { takeovers: 1_000, mixed: 300 }
const SHORT = { takeovers: 150, mixed: 60 }
const SOAK = { takeovers: 20_000, mixed: 5_000 }

const MODEL = { context_length: 4_096 }
const { one: ONE, four: FOUR } = CACHED_ENGINES

const engineAt = (url: string, name: string, slots: number) => {
  return { name, url, slots, model_name: 'pebble', prompt_cache: 'exclusive' } as const
}

/** Real engines whose options would let a prompt be seen: nothing of theirs is reused. */
async function proveUnsafe(run: ProofRun): Promise<number> {
  const unsafe = {
    ram: { server: await startRealEngine(1, { flags: ['--cache-ram', '64'] }), slots: 1 },
    fewer: { server: await startRealEngine(1), slots: 2 },
  }
  const warned: string[] = []
  try {
    const engines = Object.entries(unsafe).map(([name, { server, slots }]) =>
      engineAt(server.url, name, slots),
    )
    const models = engines.map(({ name }) => ({ ...MODEL, id: name, engines: [name] }))
    const onLog = (line: string) => {
      const { engine, msg } = JSON.parse(line) as { engine?: string; msg: string }
      if (msg.startsWith('prompt caches not isolated')) warned.push(engine ?? '')
    }
    await using environment = await startEnvironment({ engines, models, onLog })
    const api = await environment.startApi()
    const { key } = await environment.openCaller()
    for (const { name } of engines) {
      const tenant = openTenant(api.apiRoot, key, name)
      // Beyond the time that the check of an engine takes.
      for (let tries = 0; tries < 100 && !warned.includes(name); tries += 1)
        await sendPrompt(tenant, createSecret(run.random))
      if (!warned.includes(name)) run.fail(`no warning about the engine ${name}`)
      const secret = createSecret(run.random)
      await sendPrompt(tenant, secret)
      const { cachedTokens } = await sendPrompt(tenant, secret)
      if (cachedTokens > 0) run.fail(`${name}: ${cachedTokens} tokens were cached`)
      await tenant.line[Symbol.asyncDispose]()
    }
  } finally {
    for (const { server } of Object.values(unsafe)) await server[Symbol.asyncDispose]()
  }
  return warned.length
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`

/** One process, which is all that uses its engines. */
async function proveAlone(run: ProofRun, takeovers: number, mixed: number) {
  await using one = await startRealEngine(1)
  await using four = await startRealEngine(4)
  const engines = [engineAt(one.url, 'one', 1), engineAt(four.url, 'four', 4)]
  const models = [
    { ...MODEL, id: ONE, engines: ['one'] },
    { ...MODEL, id: FOUR, engines: ['four'] },
  ]
  await using environment = await startEnvironment({ engines, models })
  const api = await environment.startApi()
  const [keeper, guesser] = [await environment.openCaller(), await environment.openCaller()]
  if (!(await waitForReuse(api))) run.fail('caches are not in use')
  const [first, second] = [keeper, guesser].map(({ key }) => openTenant(api.apiRoot, key, ONE))
  const speaker = openTenant(api.apiRoot, keeper.key, FOUR)
  if (first === undefined || second === undefined) throw new Error('two tenants')
  const taken = await proveTakeovers(run, [() => first, () => second], takeovers)
  const share = await proveConversations(run, () => speaker)
  const guessed = await proveMixed(run, environment, api, FOUR, mixed)
  for (const { line } of [first, second, speaker]) await line[Symbol.asyncDispose]()
  return {
    takeovers,
    cached_max: taken.cachedMax,
    told_by_time: percent(taken.accuracy),
    chance_max: percent(taken.most),
    own_cached: percent(taken.ownShare),
    conversations_cached: percent(share),
    guesses_at_once: guessed,
  }
}

await runProof('isolation', async (run) => {
  const { takeovers, mixed } = run.soak ? SOAK : run.short ? SHORT : FAST
  if (chosenEngine() !== 'llama-server') return proveSalted(run, takeovers, mixed)
  const alone = await proveAlone(run, takeovers, mixed)
  const shared = await proveShared(run, takeovers)
  return {
    ...alone,
    shared_cached_max: shared.cachedMax,
    unsafe_engines: await proveUnsafe(run),
    salts: await proveSalts(run),
  }
})
