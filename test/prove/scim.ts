// A client that checks SCIM servers against their RFCs finds nothing wrong, and no token reaches
// anybody of another organization.
// covers: src/platform/scim/** src/platform/api/scim/** src/contract/scim/** src/store/people/**
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { folderOf, installProgram, pythonRequirements } from '../harness/programs/install.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { scimRootOf, setUpScim } from '../harness/servers/scim.ts'
import { startSsoBench, type SsoBench } from '../harness/servers/sso-bench.ts'
import { tryForeignUsers } from './scim/foreign.ts'

const FOLDER = join(import.meta.dirname, 'scim')
const KEY = 'scim2-tester'
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024
const TIMEOUT_MS = 300_000
/** What RFC 7644 lets a service leave out. */
const LEFT_OUT = ['search_with_attributes']

type Checked = {
  readonly status: string
  readonly check: string
  readonly resource: string | null
  readonly reason: string | null
}

/** Runs scim2-tester against the console. */
async function runTester(bench: SsoBench): Promise<Checked[]> {
  const { scim, domain } = await setUpScim(bench)
  const python = join(folderOf(KEY), 'bin', 'python')
  const { stdout } = await promisify(execFile)(python, ['-P', join(FOLDER, 'run_tester.py')], {
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: TIMEOUT_MS,
    env: {
      SCIM_ROOT: scimRootOf(bench.console_.root),
      SCIM_TOKEN: scim.as['authorization']?.slice('Bearer '.length),
      SCIM_DOMAIN: domain,
    },
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Checked)
}

function judge(run: ProofRun, results: readonly Checked[]) {
  for (const { status, check, resource, reason } of results) {
    const fine = status === 'SUCCESS' || status === 'COMPLIANT' || status === 'ACCEPTABLE'
    const leftOut = status === 'SKIPPED' && LEFT_OUT.includes(check)
    if (!fine && !leftOut) run.fail(`${resource ?? 'service'} ${check}: ${status} ${reason}`)
  }
  const skipped = results.filter(({ status }) => status === 'SKIPPED').length
  return { checks: results.length - skipped, left_out: skipped }
}

await runProof('scim', async (run) => {
  await installProgram(KEY, pythonRequirements(join(FOLDER, 'requirements.txt')))
  await using bench = await startSsoBench()
  const checked = judge(run, await runTester(bench))
  const foreign = await tryForeignUsers(run, bench)
  return { ...checked, ...foreign }
})
