/** Runs the proofs in test/prove: `npm run prove -- NAME [--soak] [ARGUMENTS…]`. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'

import { NOT_POSSIBLE_HERE } from './harness/proof.ts'
import { bringUpStack, runNode } from './harness/stack.ts'

const ROOT = resolve(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'test/prove')

/** The fast form of a proof is meant to take a minute; what needs five has hung. */
const FAST_LIMIT_MS = 300_000
/** The last line of a proof is its result, so only the end of what it prints matters. */
const OUTPUT_CHARACTERS_MAX = 64_000

type Proof = { readonly name: string; readonly path: string; readonly description: string }
type Verdict = 'holds' | 'FAILS' | 'skipped'
type Result = { readonly name: string; readonly verdict: Verdict; readonly lastLine: string }

/** Each file of the folder is a proof; its parts are in a subfolder of the same name. */
function listProofs(): Proof[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => {
      const path = join(FOLDER, file)
      return { name: file.replace(/\.ts$/, ''), path, description: describeProof(path) }
    })
}

/** The first comment line of a proof says what it proves. */
function describeProof(path: string): string {
  const [line] = readFileSync(path, 'utf8')
    .split('\n')
    .filter((text) => /^\s*(\/\/|\/\*|\*\s)/.test(text))
    .map((text) => text.replace(/^\s*(\/\/|\/\*\*?|\*)\s*|\s*\*\/\s*$/g, ''))
    .filter((text) => text !== '')
  return line ?? 'says nothing about itself'
}

function printProofs(proofs: readonly Proof[]): void {
  const width = Math.max(0, ...proofs.map(({ name }) => name.length))
  for (const { name, description } of proofs) console.log(`${name.padEnd(width)}  ${description}`)
  if (proofs.length === 0) console.log('There is no proof yet.')
}

/** Shows what the proof prints as it comes, and keeps its end for the table. */
async function runFast({ name, path }: Proof): Promise<Result> {
  console.log(`\n${name}`)
  const child = spawn(process.execPath, [path], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: FAST_LIMIT_MS,
  })
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

async function proveAll(proofs: readonly Proof[]): Promise<number> {
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

async function main([name, ...rest]: readonly string[]): Promise<number> {
  const proofs = listProofs()
  const proof = proofs.find((candidate) => candidate.name === name)
  if (name === undefined) {
    printProofs(proofs)
    return 0
  }
  if (!proof && name !== 'all') {
    console.error(`There is no proof ${name}. These exist:`)
    printProofs(proofs)
    return 1
  }
  if (!(await bringUpStack())) {
    console.error('This machine cannot run the servers a proof needs.')
    return NOT_POSSIBLE_HERE
  }
  return proof ? runNode([proof.path, ...rest]) : proveAll(proofs)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
