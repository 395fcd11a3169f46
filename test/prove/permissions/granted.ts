import { serveApi } from '../../../src/start/serve-api.ts'
import { startConsole, type TestConsole } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { KEYS_AND_INVITATIONS } from './granted/keys-and-invitations.ts'
import { LOSSES, type Loss } from './granted/losses.ts'
import { tryPlatformThings } from './granted/platform-things.ts'
import { openScene } from './granted/scene.ts'
import { STANDING_THINGS } from './granted/standing-things.ts'
import type { Thing } from './granted/thing.ts'

/** Cases that are tried at once. */
const AT_ONCE = 6

const THINGS = [...KEYS_AND_INVITATIONS, ...STANDING_THINGS]

type Case = { readonly thing: Thing; readonly loss: Loss }

/** Every granted thing × every way to lose the right: it gives no more than its maker has. */
export async function tryGranted(run: ProofRun) {
  await using console_ = await startConsole()
  const api = await serveApi(console_.config)
  try {
    const only = run.values['only'] ?? ''
    const cases = THINGS.filter(({ name }) => name.includes(only)).flatMap((thing) =>
      LOSSES.map((loss) => ({ thing, loss })),
    )
    const waiting = cases.filter(({ thing }) => thing.slow !== true)
    const tryOne = (each: Case) => tryCase(run, console_, api.apiRoot, each)
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift())
        await tryOne(each)
    })
    const slow = cases.filter(({ thing }) => thing.slow === true).map(tryOne)
    await Promise.all([...workers, ...slow])
    const platform = await tryPlatformThings(run, console_)
    return { granted_things: THINGS.length, granted_cases: cases.length + platform }
  } finally {
    await api.stop()
  }
}

/** Whether the thing still works after the loss, by the rules of the specification. */
function isKept({ thing, loss }: Case): boolean {
  const { keptBy, outlives = [] } = thing
  if (loss.leaves !== null) return keptBy.includes(loss.leaves)
  if (outlives === 'maker') return loss.name !== 'organization deleted'
  return outlives.includes(loss.name)
}

async function tryCase(
  run: ProofRun,
  console_: TestConsole,
  apiRoot: string,
  each: Case,
): Promise<void> {
  const { thing, loss } = each
  const name = `${thing.name}, ${loss.name}`
  const scene = await openScene(console_, apiRoot)
  const made = await thing.make(scene)
  const before = await (made.before?.() ?? made.use())
  if (!before.gives) return run.fail(`${name}: did not work before: ${before.said}`)
  await loss.take(scene)
  const { gives, said } = await made.use()
  const kept = isKept(each)
  if (gives !== kept) run.fail(`${name}: ${kept ? 'ended' : 'still works'}: ${said}`)
}
