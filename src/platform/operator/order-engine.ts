import type { Transaction } from 'kysely'
import { EnginesReport, type EngineOrder } from '../../contract/management/operator-system.ts'
import { listOrders, storeOrder, type EngineOrderRow } from '../../store/fleet/engine-orders.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineChange, labelOf } from '../use-case/use-case.ts'
import { askProcesses } from './ask-processes.ts'

type OrderInput = Pick<EngineOrder, 'engine' | 'state'> & { readonly note?: string }

/** Takes an engine out of use or back into it, in every process, and until it is changed again. */
export const orderEngine = defineChange(
  { action: 'engine.order', permission: 'platform:write' },
  async ({ environment, transaction, access }, { engine, state, note }: OrderInput) => {
    // A mistyped name must not look like a success.
    if (!(await isKnown(environment, transaction, engine)))
      throw new ChangeRefused('there is no engine with this name', { kind: 'not_found' })
    const { before, now } = await storeOrder(transaction, {
      engine,
      state: state === 'enabled' ? null : state,
      by: labelOf(access.actor).label,
      note: note ?? null,
    })
    return {
      value: now === undefined ? lifted(engine) : viewOrder(now),
      target: { kind: 'engine', id: engine },
      changes: {
        state: [before?.state ?? 'enabled', state],
        ...(note !== undefined && { note: [null, note] }),
      },
      unchanged: (before?.state ?? 'enabled') === state,
      ordered: true,
    }
  },
)

export function viewOrder(row: EngineOrderRow): EngineOrder {
  return {
    engine: row.engine,
    state: row.state,
    since: row.ordered_at.toISOString(),
    by: row.ordered_by,
    note: row.note,
  }
}

function lifted(engine: string): EngineOrder {
  return { engine, state: 'enabled', since: null, by: null, note: null }
}

/** Engines that were discovered are known to the processes only. */
async function isKnown(
  { settings }: Environment,
  transaction: Transaction<Tables>,
  engine: string,
): Promise<boolean> {
  if (settings.engines.some(({ name }) => name === engine)) return true
  if ((await listOrders(transaction)).some((order) => order.engine === engine)) return true
  const answers = await askProcesses(settings.console.api_health_urls, '/engines', EnginesReport)
  return answers.some(({ answer }) => Object.hasOwn(answer?.states ?? {}, engine))
}
