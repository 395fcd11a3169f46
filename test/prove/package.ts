// The npm package installs offline in an empty folder and serves from it, read-only, as any user.
// covers: package/** package.json src/cli/** src/main.ts
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../harness/processes/console-process.ts'
import { createEmptyDatabase } from '../harness/servers/database.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { requireStack } from '../harness/processes/service.ts'
import { install, type Installation } from './package/installation.ts'
import { checkCompletions, checkConsole, prepare } from './package/serve.ts'
import { buildTarball, findWrongFiles, readTarball, type Tarball } from './package/tarball.ts'
import { connectionIn } from './package/watch-connections.ts'

const EXAMPLE_ENGINE_URL = 'http://127.0.0.1:18080'

await runProof(
  'package',
  async (run) => {
    const folder = await mkdtemp(join(tmpdir(), 'headrace-pack-'))
    await using cleaning = new AsyncDisposableStack()
    cleaning.defer(() => rm(folder, { recursive: true }))
    const tarball = readTarball(run.values['tarball'] ?? buildTwice(run, folder))
    for (const wrong of findWrongFiles(tarball)) run.fail(wrong)
    const sinceMs = performance.now()
    await using installation = await install(tarball.path)
    const installedMs = Math.round(performance.now() - sinceMs)
    await checkCommand(run, installation, tarball)
    const served = await serve(run, installation)
    return {
      files: tarball.files.length,
      packed_kib: Math.round(tarball.bytes / 1024),
      install_ms: installedMs,
      uid: installation.uid ?? 'own',
      ...served,
    }
  },
  { tarball: { type: 'string' } },
)

/** The second build makes the web app anew. */
function buildTwice(run: ProofRun, folder: string): string {
  const path = buildTarball(join(folder, 'one'))
  const again = buildTarball(join(folder, 'two'), ['--fresh'])
  const digests = [path, again].map((each) => readTarball(each).sha256)
  if (digests[0] !== digests[1]) run.fail(`two builds: ${digests.join(', ')}`)
  return path
}

async function checkCommand(run: ProofRun, { run: command }: Installation, { path }: Tarball) {
  const version = await command('--version')
  if (!path.endsWith(`/headrace-${version.stdout.trim()}.tgz`))
    run.fail(`--version printed ${version.stdout}${version.stderr}`)
  const dev = await command('dev')
  if (dev.code !== 1 || !dev.stderr.includes('needs a clone of the repository'))
    run.fail(`headrace dev ended with ${dev.code}: ${dev.stderr}`)
}

/** From an empty database to answers, and that nothing but the stores and the engine was called. */
async function serve(run: ProofRun, installation: Installation) {
  const { engine, postgres, valkey } = requireStack()
  await using database = await createEmptyDatabase()
  const port = await findFreePort()
  const origin = `http://localhost:${port}`
  await installation.configure(
    database.url,
    (example) =>
      `${example.replace(EXAMPLE_ENGINE_URL, engine.url)}
console: { port: ${port}, health_port: 0, public_url: '${origin}', require_second_factor: none }
`,
  )
  const key = await prepare(installation)
  const connections = new Set<string>()
  const onLog = (line: string) => {
    const to = connectionIn(line)
    if (to !== undefined) connections.add(to)
  }
  await using api = await installation.start('api', onLog)
  await using worker = await installation.start('worker', onLog)
  await using console_ = await installation.start('console', onLog)
  const completions = await checkCompletions(run, installation, { apiRoot: api.apiRoot, key })
  await checkConsole(run, installation, { origin, root: `${origin}/management/v1` })
  const own = new Set([engine.url, postgres.url, valkey.url].map((url) => new URL(url).host))
  for (const to of connections) if (!own.has(to)) run.fail(`it connected to ${to}`)
  for (const { crashes } of [api, worker, console_]) if (crashes > 0) run.fail('a process ended')
  return { completions, connections: connections.size }
}
