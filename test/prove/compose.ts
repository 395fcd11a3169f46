// The production compose file leads from one .env to an answer over TLS, and stops cleanly.
// covers: compose.yaml deploy/** package/**
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prepareImage } from '../harness/containers/build-image.ts'
import { openContainerTools, type ContainerTools } from '../harness/containers/tools.ts'
import { ENDLESS, startRealEngine } from '../harness/engines/real-engine.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { createInstallation, type Installation } from './compose/installation.ts'
import { askTls } from './compose/tls-client.ts'

const execute = promisify(execFile)

/** From the first command to the first answer. */
const SECONDS_MAX = 180
const ENGINE_KEY = 'key-of-the-engine'
const SLOTS = 4
/** Enough that the stream is running when the stop begins. */
const TOKENS = 600
const AUTHORITY = '/data/caddy/pki/authorities/local/root.crt'
const CHAT = '/compat/v1/chat/completions'
const QUESTION = {
  model: 'main',
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
}

type Door = { readonly ca: string; readonly key: string }

await runProof(
  'compose',
  async (run) => {
    await using tools = await openContainerTools('compose-proof', run.values['tools'])
    const build = await prepareImage(tools)
    await build('localhost/headrace:0.1.0')
    const flags = ['--host', '0.0.0.0', '--api-key', ENGINE_KEY]
    await using engine = await startRealEngine(SLOTS, { flags })
    const settings = {
      ENGINE_URL: `http://host.docker.internal:${new URL(engine.url).port}`,
      ENGINE_MODEL: 'pebble',
      ENGINE_SLOTS: String(SLOTS),
    }
    const installation = await createInstallation(tools, settings, ENGINE_KEY)
    await makeStandIns(tools, installation)
    return await prove(installation, run)
  },
  { tools: { type: 'string' } },
)

async function makeStandIns({ root }: ContainerTools, { foreignImages }: Installation) {
  const script = join(import.meta.dirname, 'compose/make-stand-ins.sh')
  await execute(script, [root, ...foreignImages])
}

async function prove(installation: Installation, run: ProofRun) {
  const { compose } = installation
  const stopping = new AbortController()
  const checks = installation.checkHealth(stopping.signal)
  try {
    const sinceMs = performance.now()
    const secondsNow = () => Math.round((performance.now() - sinceMs) / 100) / 10
    await compose('up', '--detach', '--wait')
    const upSeconds = secondsNow()
    const door = await openDoor(installation)
    await expectAnswer(door, run)
    const firstAnswerSeconds = secondsNow()
    if (firstAnswerSeconds > SECONDS_MAX) run.fail(`the first answer took ${firstAnswerSeconds} s`)
    await expectPages(installation, door, run)
    await expectOnlyCaddyPublished(installation, run)
    const answers = await replaceApi(installation, door, run)
    const events = await stopDuringStream(installation, door, run)
    await compose('up', '--detach', '--wait')
    await expectAnswer(door, run)
    return {
      up_s: upSeconds,
      first_answer_s: firstAnswerSeconds,
      answers_during_replacement: answers,
      events_after_stop: events,
    }
  } catch (error) {
    console.log(await compose('logs', '--tail', '20').catch(String))
    throw error
  } finally {
    stopping.abort()
    await checks
    await compose('down', '--volumes', '--timeout', '20')
  }
}

/** An organization with a key, and the authority that Caddy made for localhost. */
async function openDoor({ compose }: Installation): Promise<Door> {
  const headrace = (...args: string[]) => compose('run', '--rm', '-T', 'headrace', ...args)
  await headrace('organization', 'create', 'acme', '--plan', 'standard')
  const made = await headrace('key', 'create', '--organization=acme', '--name=first', '--json')
  const { key } = JSON.parse(made) as { key: string }
  return { key, ca: await compose('exec', '-T', 'caddy', 'cat', AUTHORITY) }
}

async function expectAnswer({ ca, key }: Door, run: ProofRun): Promise<void> {
  const { status, text } = await askTls({ path: CHAT, ca, key, body: QUESTION }).catch(
    (error: unknown) => ({ status: 0, text: String(error) }),
  )
  if (status !== 200 || !text.includes('Paris')) run.fail(`${status}: ${text.slice(0, 200)}`)
}

async function expectPages({ compose }: Installation, { ca, key }: Door, run: ProofRun) {
  const page = await askTls({ path: '/', ca })
  if (page.status !== 200 || !page.text.includes('content="https://localhost/compat/v1"'))
    run.fail(`the console's page: ${page.status}`)
  // The path must reach the API as it was sent.
  const model = await askTls({ path: '/compat/v1/models/ma%69n', ca, key })
  if (model.status !== 200) run.fail(`an encoded path: ${model.status} ${model.text}`)
  const operator = ['account', 'create', 'you@example.com', '--operator']
  const printed = await compose('run', '--rm', '-T', 'headrace', ...operator)
  const link = /https:\/\/localhost(\/\S+)/.exec(printed)?.[1]
  if (link === undefined) run.fail(`no link in ${printed}`)
  else if ((await askTls({ path: link, ca })).status !== 200)
    run.fail(`the link ${link} is no page`)
}

async function expectOnlyCaddyPublished({ compose }: Installation, run: ProofRun): Promise<void> {
  const lines = (await compose('ps', '--format', '{{.Service}} {{.Ports}}')).split('\n')
  const published = lines.filter((line) => line.includes('->')).map((line) => line.split(' ')[0])
  if (published.some((service) => service !== 'caddy'))
    run.fail(`published ports: ${published.join()}`)
}

/**
 * The guide's upgrade without interruption, while a client asks all the time. Returns how many
 * answers it got.
 */
async function replaceApi(installation: Installation, door: Door, run: ProofRun): Promise<number> {
  const { compose } = installation
  const done = new AbortController()
  let answers = 0
  const client = (async () => {
    for (; !done.signal.aborted; answers += 1) await expectAnswer(door, run)
  })()
  installation.set('LOG_LEVEL', 'debug')
  const old = await compose('ps', '--quiet', 'api')
  const second = ['--no-deps', '--no-recreate', '--scale', 'api=2', 'api']
  await compose('up', '--detach', '--wait', ...second)
  await installation.remove(old)
  await compose('up', '--detach', '--wait', '--no-deps', 'worker', 'console')
  done.abort()
  await client
  const left = await compose('ps', '--quiet', 'api')
  if (left === old || left.includes('\n')) run.fail(`containers of the api: ${left}`)
  return answers
}

/** Returns how many events came after the stop was requested. */
async function stopDuringStream(
  { compose }: Installation,
  { ca, key }: Door,
  run: ProofRun,
): Promise<number> {
  const begun = Promise.withResolvers<void>()
  let events = 0
  const onText = (part: string) => {
    events += part.split('\n\n').length - 1
    begun.resolve()
  }
  const body = { ...QUESTION, ...ENDLESS, stream: true, max_tokens: TOKENS }
  const stream = askTls({ path: CHAT, ca, key, body, onText })
  await Promise.race([begun.promise, stream])
  const eventsBefore = events
  const stopped = compose('stop')
  const { text } = await stream
  if (!text.endsWith('data: [DONE]\n\n')) run.fail(`the stream ended in ${text.slice(-200)}`)
  await stopped
  const states = await compose('ps', '--all', '--format', '{{.Service}} {{.ExitCode}}')
  const bad = states.split('\n').filter((line) => !line.endsWith(' 0'))
  if (bad.length > 0) run.fail(`ended with an error: ${bad.join()}`)
  if (events - eventsBefore < 2) run.fail('the stream had ended before the stop')
  return events - eventsBefore
}
