import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { give } from '../../../src/store/ledger/double-entry.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { openKey, openOrganization } from '../../harness/tenants.ts'
import { limitsOf } from '../../harness/environment.ts'

const PLAN = 'prepaid'
const SLOTS = 512
/** No request of a proof can be more than this, by any estimate. */
const CONTEXT = 100_000_000
const OUTPUT = 1_000_000
/** More than any run can spend, in micro-units. */
const GRANT = 900_000_000_000_000

/** Prices of a run, in units of the currency per million tokens: what `judge.ts` computes with. */
const PRICE = { input: 3, cached_input: 1.5, output: 7 }

export type EngineSetting = {
  /** Also what the model is called that it serves, behind the name of the proofs. */
  readonly name: string
  readonly url: string
  readonly slots?: number
  readonly model_name?: string
}

export function modelOn(engine: string): string {
  return `proof/${engine}`
}

/** The operator's file of a run, in a folder of its own. */
export async function writeSettings(
  engines: readonly EngineSetting[],
  sections: object,
): Promise<{ readonly file: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-metering-'))
  const file = join(folder, 'headrace.yaml')
  const settings = {
    engines: engines.map((engine) => ({ kind: 'llama-server', slots: SLOTS, ...engine })),
    models: engines.map(({ name }) => ({
      id: modelOn(name),
      owned_by: 'proof',
      context_length: CONTEXT,
      max_output_tokens: OUTPUT,
      engines: [name],
      price: PRICE,
    })),
    plans: { [PLAN]: { models: 'all', billing: 'prepaid', limits: limitsOf({}) } },
    default_plan: PLAN,
    ...sections,
  }
  await writeFile(file, JSON.stringify(settings))
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

export type Customer = { readonly organizationId: string; readonly key: string }

/** An organization with a key and a balance that lasts. */
export async function openCustomer({ database }: Postgres): Promise<Customer> {
  const { id, projectId } = await openOrganization(database, PLAN)
  const { text } = await openKey(database, projectId)
  await give(database, {
    organizationId: id,
    amount: GRANT,
    kind: 'grant',
    reference: `proof:${id}`,
    madeBy: 'proof',
    reason: 'a proof',
  })
  return { organizationId: id, key: text }
}
