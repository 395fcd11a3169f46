import { ask, type Headers } from '../../harness/processes/console.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import { timeUntil } from '../../harness/figures/measure.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { browserOf, PASSWORD } from '../../harness/clients/sign-in.ts'
import { isWhole, openChat } from '../../harness/clients/stream-client.ts'
import type { Installation } from './installation.ts'

const ORGANIZATION = 'first'
const OPERATOR = 'operator@example.com'
const POSTED_TIMEOUT_MS = 20_000
const REQUEST = { model: DEMO_MODEL, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 200 }

/** An organization and its key, made with the installed command on an empty database. */
export async function prepare({ run, answer }: Installation): Promise<string> {
  const migrated = await run('migrate')
  if (migrated.code !== 0) throw new Error(`headrace migrate failed: ${migrated.stderr}`)
  await answer('organization', 'create', ORGANIZATION)
  const { key } = await answer('key', 'create', '--organization', ORGANIZATION, '--name', 'first')
  return String(key)
}

/** A real answer as JSON and as a stream, and its usage posted by the worker. */
export async function checkCompletions(
  run: ProofRun,
  installation: Installation,
  target: { readonly apiRoot: string; readonly key: string },
): Promise<number> {
  const whole = openChat(target, REQUEST)
  const ending = await whole.ended
  if (ending !== 'complete' || whole.status !== 200 || !isChat(whole.text))
    run.fail(`a completion was ${ending}, ${whole.status}: ${whole.text}`)
  const stream = openChat(target, { ...REQUEST, stream: true })
  if ((await stream.ended) !== 'complete' || !isWhole(stream))
    run.fail(`a stream was ${stream.status}: ${stream.text}`)
  const isPosted = async () => {
    const { code, stdout } = await installation.run('explain', stream.requestId, '--json')
    return code === 0 && (JSON.parse(stdout) as { outcome: string }).outcome === 'completed'
  }
  if ((await timeUntil(isPosted, POSTED_TIMEOUT_MS)) === null)
    run.fail(`the usage of ${stream.requestId} was not posted`)
  return 2
}

function isChat(text: string): boolean {
  const { object, choices } = JSON.parse(text) as { object?: string; choices?: unknown[] }
  return object === 'chat.completion' && choices?.length === 1
}

/** The page with its policy, one of its scripts in compressed form, and who is signed in. */
export async function checkConsole(
  run: ProofRun,
  { answer }: Installation,
  { origin, root }: { readonly origin: string; readonly root: string },
): Promise<void> {
  const page = await fetch(`${origin}/`)
  const html = await page.text()
  const policy = page.headers.get('content-security-policy') ?? ''
  if (page.status !== 200 || !policy.includes("default-src 'none'"))
    run.fail(`the page was ${page.status} with the policy ${policy}`)
  const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? ''
  const asset = await fetch(new URL(script, `${origin}/`), { headers: { 'accept-encoding': 'br' } })
  if (asset.status !== 200 || asset.headers.get('content-encoding') !== 'br')
    run.fail(`the script ${script} was ${asset.status}`)
  const as: Headers = { origin }
  const { link } = await answer('account', 'create', OPERATOR, '--operator')
  const token = new URL(String(link)).hash.replace(/^#(token=)?/, '')
  const body = { token, password: PASSWORD }
  const set = await ask(root, 'POST', '/password-resets/complete', { as, body })
  const session = await ask(root, 'POST', '/sessions', {
    as,
    body: { email: OPERATOR, password: PASSWORD },
  })
  const me = await ask(root, 'GET', '/me', { as: browserOf(session) })
  if (me.status !== 200 || !me.text.includes(OPERATOR))
    run.fail(`the management API answered ${set.status}, ${session.status}, ${me.status}`)
}
