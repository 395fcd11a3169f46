/**
 * Runs the proofs in test/prove: `npm run prove -- NAME [--soak] [ARGUMENTS…]`. `--since REV` runs
 * those of CI whose `covers:` lines match what has changed since then (default: main).
 * `--engine vllm` or `--engine sglang` runs a proof on that engine instead of llama-server, and the
 * name `live` all that can.
 */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

import { NOT_POSSIBLE_HERE } from './harness/proof.ts'
import { bringUpStack, chooseEngine, runNode } from './harness/servers/stack.ts'
import { completeSince, listChangedFiles } from './runner/changed-files.ts'
import { CI_SEED, readCiProofs } from './runner/ci-proofs.ts'
import { listProofs, reasonToProve, type Proof } from './runner/list-proofs.ts'
import { ROOT } from './suites.ts'
import { passSignals } from './harness/processes/pass-signals.ts'

/** The fast form of a proof is meant to take a minute; what needs five has hung. */
const FAST_LIMIT_MS = 300_000
/** The last line of a proof is its result, so only the end of what it prints matters. */
const OUTPUT_CHARACTERS_MAX = 64_000

type Run = Pick<Proof, 'name' | 'path'> & { readonly options?: readonly string[] }
type Verdict = 'holds' | 'FAILS' | 'skipped'
type Result = { readonly name: string; readonly verdict: Verdict; readonly lastLine: string }

function printProofs(proofs: readonly Proof[]): void {
  const width = Math.max(0, ...proofs.map(({ name }) => name.length))
  for (const { name, description } of proofs) console.log(`${name.padEnd(width)}  ${description}`)
  if (proofs.length === 0) console.log('There is no proof yet.')
}

/** Shows what the proof prints as it comes, and keeps its end for the table. */
async function runFast({ name, path, options = [] }: Run): Promise<Result> {
  console.log(`\n${name}`)
  const child = spawn(process.execPath, [path, ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: FAST_LIMIT_MS,
  })
  passSignals(child)
  const ended = new Promise<Verdict>((finish, reject) => {
    child.once('error', reject)
    child.once('close', (code) => finish(verdictOf(code)))
  })
  const printed = await showAndKeep(child.stdout)
  const verdict = await ended
  return { name, verdict, lastLine: printed.trimEnd().split('\n').at(-1) ?? '' }
}

/** A proof that this machine cannot run is never counted as passed. */
function verdictOf(code: number | null): Verdict {
  if (code === NOT_POSSIBLE_HERE) return 'skipped'
  return code === 0 ? 'holds' : 'FAILS'
}

async function showAndKeep(stream: Readable): Promise<string> {
  let kept = ''
  stream.setEncoding('utf8')
  for await (const text of stream as AsyncIterable<string>) {
    process.stdout.write(text)
    kept = (kept + text).slice(-OUTPUT_CHARACTERS_MAX)
  }
  return kept
}

async function proveAll(proofs: readonly Run[]): Promise<number> {
  const results: Result[] = []
  for (const proof of proofs) results.push(await runFast(proof))
  const width = Math.max(0, ...results.map(({ name }) => name.length))
  console.log('')
  for (const { name, verdict, lastLine } of results) {
    console.log(`${verdict.padEnd('skipped'.length)}  ${name.padEnd(width)}  ${lastLine}`)
  }
  const count = (wanted: Verdict) => results.filter(({ verdict }) => verdict === wanted).length
  const failed = count('FAILS')
  const skipped = count('skipped')
  console.log(
    `\n${count('holds')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  )
  return failed === 0 ? 0 : 1
}

/** The proofs of CI, in the form they have there, that cover what has changed. */
function chooseSince(revision: string, proofs: readonly Proof[]): Run[] {
  const changed = listChangedFiles(revision)
  const chosen = readCiProofs().flatMap(({ name, options }): Run[] => {
    const proof = proofs.find((candidate) => candidate.name === name)
    const why = proof && reasonToProve(proof, changed)
    if (why === undefined) return []
    console.log(`  ${name}: covers ${why}`)
    return [{ name, path: proof?.path ?? '', options: ['--seed', `${CI_SEED}`, ...options] }]
  })
  console.log(
    `${changed.length} files differ from ${revision}: ${chosen.length} proofs are chosen.`,
  )
  return chosen
}

/** Takes `--engine KIND` out of the options and tells the harness, which reads its environment. */
function takeEngine(options: readonly string[]): readonly [string | undefined, readonly string[]] {
  const at = options.indexOf('--engine')
  if (at < 0) return [undefined, options]
  const kind = options[at + 1]
  chooseEngine(kind)
  return [kind === 'llama-server' ? undefined : kind, options.toSpliced(at, 2)]
}

async function main([name, ...given]: readonly string[]): Promise<number> {
  const [engine, rest] = takeEngine(given)
  const all = listProofs()
  const proofs = engine === undefined ? all : all.filter(({ engines }) => engines.includes(engine))
  const proof = proofs.find((candidate) => candidate.name === name)
  if (name === undefined) {
    printProofs(proofs)
    return 0
  }
  const [since] = rest
  const chosen = name === '--since' && since !== undefined ? chooseSince(since, proofs) : proofs
  if (chosen.length === 0) return 0
  if (!proof && !['all', 'live', '--since'].includes(name)) {
    console.error(`There is no proof ${name}${engine ? ` on ${engine}` : ''}. These exist:`)
    printProofs(proofs)
    return 1
  }
  if (!(await bringUpStack(engine))) {
    console.error('This machine cannot run the servers a proof needs.')
    return NOT_POSSIBLE_HERE
  }
  return proof ? runNode([proof.path, ...rest]) : proveAll(chosen)
}

try {
  process.exitCode = await main(completeSince(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
