// The image is small, reproducible, and runs read-only as any user; a stop lets streams end.
// covers: deploy/** package/**
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseFreePort } from '../../stack/ports.ts'
import { prepareImage } from '../harness/containers/build-image.ts'
import { openContainerTools, type ContainerTools } from '../harness/containers/tools.ts'
import { DEMO_MODEL, startEnvironment, type Environment } from '../harness/environment.ts'
import { ENDLESS } from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { requireStack, stackEnvironment } from '../harness/processes/service.ts'
import { isWhole, openChat } from '../harness/clients/stream-client.ts'

const BYTES_MAX = 200_000_000
/** A user that the image does not know. */
const USER = '12345:12345'
const IMAGE = 'localhost/headrace:proof'
const FIRST_PORT = 27_000
const READY_MS = 60_000
const STOP_SECONDS = 120
/** Enough that the stream is running when the stop begins. */
const TOKENS = 400
const QUESTION = {
  model: DEMO_MODEL,
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
}
const FORBIDDEN = ['/bin/sh', '/bin/bash', '/bin/busybox', '/usr/bin/dpkg', '/usr/local/bin/npm']

/** As Kubernetes' "restricted" profile runs it, and stricter: with no writable folder at all. */
const STRICT = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  '--ulimit=core=0',
  `--user=${USER}`,
]

type Ports = Readonly<Record<'api' | 'health' | 'worker' | 'console' | 'consoleHealth', number>>

await runProof(
  'image',
  async (run) => {
    await using tools = await openContainerTools('image-proof', run.values['tools'])
    const bytes = await buildTwice(tools, run)
    await checkContents(tools, run)
    await using environment = await startEnvironment()
    const { readyMs, events } = await serve(tools, environment, run)
    return { megabytes: Math.round(bytes / 1e6), ready_ms: readyMs, events_after_stop: events }
  },
  { tools: { type: 'string' } },
)

async function buildTwice(tools: ContainerTools, run: ProofRun): Promise<number> {
  const build = await prepareImage(tools)
  const digests = [await build(IMAGE), await build(`${IMAGE}-again`)]
  console.log(`digest ${digests[0]}`)
  if (digests[0] !== digests[1]) run.fail(`two builds differ: ${digests.join(' and ')}`)
  const size = await tools.podman('image', 'inspect', '--format', '{{.Size}}', IMAGE)
  if (!(Number(size) <= BYTES_MAX)) run.fail(`the image has ${size} bytes`)
  return Number(size)
}

/** What the image contains and how it starts, without any network. */
async function checkContents(tools: ContainerTools, run: ProofRun): Promise<void> {
  const strict = ['run', '--rm', ...STRICT, '--network=none']
  const version = await tools.podman(...strict, IMAGE, '--version')
  if (!/^\d+\.\d+\.\d+/.test(version)) run.fail(`--version printed ${version}`)
  const list = `console.log(${JSON.stringify(FORBIDDEN)}.filter(fs.existsSync).join())`
  const evaluate = [...strict, '--entrypoint=/usr/local/bin/node', IMAGE, '-e', list]
  const found = await tools.podman(...evaluate)
  if (found !== '') run.fail(`the image contains ${found}`)
  const user = await tools.podman('image', 'inspect', '--format', '{{.User}}', IMAGE)
  if (user !== '65532:65532') run.fail(`the image's user is ${user}`)
}

async function serve(tools: ContainerTools, environment: Environment, run: ProofRun) {
  const ports = await choosePorts()
  const options = writeSettings(tools, environment, ports)
  const start = (name: 'api' | 'worker' | 'console') =>
    tools.podman('run', '--detach', '--replace', `--name=proof-${name}`, ...options, IMAGE, name)
  await using _ = { [Symbol.asyncDispose]: () => removeContainers(tools) }
  await tools.podman('run', '--rm', ...options, IMAGE, 'migrate')
  // It names the author, who is nobody in /etc/passwd.
  await tools.podman('run', '--rm', ...options, IMAGE, 'organization', 'create', 'by-a-number')
  const sinceMs = performance.now()
  await Promise.all([start('api'), start('worker'), start('console')])
  for (const port of [ports.health, ports.worker, ports.consoleHealth])
    await waitUntil(`port ${port} to be ready`, () => isReady(port), READY_MS)
  const readyMs = Math.round(performance.now() - sinceMs)
  await askOnce(environment, ports, run)
  const page = await fetch(`http://127.0.0.1:${ports.console}/`)
  if (!page.ok || !(await page.text()).includes('<!doctype html>'))
    run.fail(`the console's page answered ${page.status}`)
  return { readyMs, events: await stopDuringStream(tools, environment, ports, run) }
}

async function askOnce(environment: Environment, ports: Ports, run: ProofRun): Promise<void> {
  const { key } = await environment.openCaller()
  const answer = await fetch(`http://127.0.0.1:${ports.api}/compat/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(QUESTION),
  })
  const text = await answer.text()
  if (!answer.ok || !text.includes('Paris')) run.fail(`${answer.status}: ${text.slice(0, 200)}`)
}

/** Returns how many events came after the stop was requested. */
async function stopDuringStream(
  tools: ContainerTools,
  environment: Environment,
  ports: Ports,
  run: ProofRun,
): Promise<number> {
  const { key } = await environment.openCaller()
  const target = { apiRoot: `http://127.0.0.1:${ports.api}/compat/v1`, key }
  const request = { ...QUESTION, ...ENDLESS, stream: true, max_tokens: TOKENS }
  const chat = openChat(target, request)
  await chat.begun
  const eventsBefore = chat.text.split('\n\n').length
  const stopped = tools.podman('stop', '--time', String(STOP_SECONDS), 'proof-api')
  const ending = await chat.ended
  if (ending !== 'complete' || !isWhole(chat)) run.fail(`the stream was ${ending}`)
  await stopped
  const code = await tools.podman('inspect', '--format', '{{.State.ExitCode}}', 'proof-api')
  if (code !== '0') run.fail(`the api ended with ${code}`)
  const eventsAfter = chat.text.split('\n\n').length - eventsBefore
  if (eventsAfter < 2) run.fail('the stream had ended before the stop')
  return eventsAfter
}

async function choosePorts(): Promise<Ports> {
  const found: number[] = []
  for (let index = 0; index < 5; index += 1)
    found.push(await chooseFreePort((found.at(-1) ?? FIRST_PORT) + 1))
  const [api = 0, health = 0, worker = 0, console_ = 0, consoleHealth = 0] = found
  return { api, health, worker, console: console_, consoleHealth }
}

/** Secrets are files; the stores and the engine are on the machine's loopback. */
function writeSettings(
  { work }: ContainerTools,
  environment: Environment,
  ports: Ports,
): readonly string[] {
  const all = {
    ...stackEnvironment(requireStack(), environment.databaseUrl),
    HEADRACE_VALKEY_URL: environment.valkeyUrls.join(','),
    HEADRACE_API_HOST: '127.0.0.1',
    HEADRACE_API_PORT: String(ports.api),
    HEADRACE_API_HEALTH_PORT: String(ports.health),
    HEADRACE_API_LOG_LEVEL: 'info',
    HEADRACE_WORKER_HEALTH_PORT: String(ports.worker),
    HEADRACE_CONSOLE_PORT: String(ports.console),
    HEADRACE_CONSOLE_HEALTH_PORT: String(ports.consoleHealth),
  }
  mkdirSync(join(work.outside, 'secrets'))
  const variables = Object.entries(all).map(([name, value]) => {
    if (!/_(URL|KEY)$/.test(name)) return `--env=${name}=${value}`
    writeFileSync(join(work.outside, 'secrets', name), value)
    return `--env=${name}_FILE=/run/headrace/${name}`
  })
  copyFileSync(environment.file, join(work.outside, 'headrace.yaml'))
  return [
    ...STRICT,
    '--network=host',
    `--volume=${work.inside}/headrace.yaml:/etc/headrace/headrace.yaml:ro`,
    `--volume=${work.inside}/secrets:/run/headrace:ro`,
    ...variables,
  ]
}

async function removeContainers(tools: ContainerTools): Promise<void> {
  const names = ['proof-api', 'proof-worker', 'proof-console']
  await tools.podman('rm', '--force', '--ignore', '--time=20', ...names)
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}
