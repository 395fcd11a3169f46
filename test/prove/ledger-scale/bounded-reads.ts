import type { Pool } from 'pg'
import { countRowsRead } from '../../harness/servers/count-rows-read.ts'
import { openReconciliations } from '../../../src/store/ledger/reconciliations.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { resyncFunds } from '../../../src/worker/resync-funds.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'

/**
 * Reconciles a past day, and explains every statement of that. Returns the most rows of growing
 * tables that one of them reads.
 */
export async function readRowsPerStatement(
  pool: Pool,
  valkey: Valkey,
  dayMs: number,
): Promise<{ readonly statements: number; readonly rowsMax: number }> {
  const asked: { text: string; values: unknown[] }[] = []
  const recording: Pick<Pool, 'query'> = {
    query: ((text: string, values: unknown[]) => {
      asked.push({ text, values })
      return pool.query(text, values)
    }) as Pool['query'],
  }
  const reconciliations = openReconciliations(recording, valkey)
  const day = { fromMs: dayMs, toMs: dayMs + DAY_MS }
  await reconciliations.sumHour(dayMs / HOUR_MS)
  await reconciliations.sumEngines([{ engine: 'one', ...day }], day)
  await resyncFunds(
    { query: recording.query, connect: () => pool.connect() } as Pool,
    valkey,
    dayMs,
  )
  let rowsMax = 0
  for (const { text, values } of asked)
    rowsMax = Math.max(rowsMax, await countRowsRead(pool, text, values))
  return { statements: asked.length, rowsMax }
}
