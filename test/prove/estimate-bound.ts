// No prompt has more tokens than its request reserved, whatever the conversation and the template.
// So neither a balance nor tokens per minute are exceeded. Real llama-servers count.
// covers: src/contract/prompt-bound.ts src/inference/estimate.ts src/inference/open-record.ts
// covers: src/engines/adapters/template/**
import { readdirSync } from 'node:fs'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { requireStack } from '../harness/processes/service.ts'
import { compareBounds, type Compared } from './estimate-bound/compare.ts'
import { spend } from './estimate-bound/spend.ts'

const TEMPLATES = new URL('../harness/templates/', import.meta.url)
const FILES = readdirSync(TEMPLATES).filter((name) => name.endsWith('.jinja'))
/** These add the most: ids, a long system message, names with results, reasoning. */
const SPENT_ON = ['ids', 'long-system-message', 'named-results', 'reasoning-history']
const SERVERS_AT_ONCE = 2
const SLOTS = 4

function startTemplate(file: string) {
  const flags = ['--jinja', '--chat-template-file', new URL(file, TEMPLATES).pathname]
  return startRealEngine(SLOTS, { flags })
}

/** The demo model's own template, and every file of templates. */
async function compareAll(run: ProofRun, count: number): Promise<Compared[]> {
  const each = Math.ceil(count / (FILES.length + 1))
  const { url, apiKey } = requireStack().engine
  const results = [await compareBounds(run, { name: 'the demo model', url, apiKey }, each)]
  await forEachLimited(SERVERS_AT_ONCE, FILES, async (file) => {
    await using server = await startTemplate(file)
    results.push(await compareBounds(run, { name: file, url: server.url }, each))
  })
  return results
}

async function spendAll(run: ProofRun, count: number) {
  await using servers = new AsyncDisposableStack()
  const engines = await Promise.all(
    SPENT_ON.map(async (name) => {
      const { url } = servers.use(await startTemplate(`${name}.jinja`))
      return { name, url }
    }),
  )
  return await spend(run, engines, count)
}

async function prove(run: ProofRun) {
  const requests = Number(run.values['requests'])
  const results = await compareAll(run, requests)
  const sumOf = (of: (each: Compared) => number) => results.reduce((sum, each) => sum + of(each), 0)
  const spent = await spendAll(run, Number(run.values['sent']))
  return {
    templates: results.length,
    compared: sumOf(({ compared }) => compared),
    accepted: sumOf(({ accepted }) => accepted),
    bound_used_max: Math.max(...results.map(({ fullest }) => fullest)).toFixed(3),
    ...spent,
  }
}

const requests = { type: 'string', default: '2000' } as const
// Engines answer some of them, which takes a second each on a small machine.
const sent = { type: 'string', default: '40' } as const
await runProof('estimate-bound', prove, { requests, sent })
