import type { Kysely } from 'kysely'
import type { MoneyLine } from '../../../payments/money-line.ts'
import type { PaymentProvider } from '../../../payments/provider.ts'
import type { CompareAbout } from '../../../store/payments/books/provider-days.ts'
import { storeLines, type ListedLine } from '../../../store/payments/books/provider-lines.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/** Movements in memory and in one statement. */
const BATCH_LINES = 500

const ABOUT: Readonly<Partial<Record<MoneyLine['kind'], CompareAbout>>> = {
  charge: 'payment',
  refund: 'refund',
  dispute: 'dispute',
}

/** Lists a day at the provider and stores what is ours; the account may serve other products. */
export async function storeMoney(
  database: Kysely<Tables>,
  provider: Pick<PaymentProvider, 'listMoney'>,
  day: string,
): Promise<{ readonly ignored: number }> {
  let ignored = 0
  let batch: ListedLine[] = []
  const store = async () => {
    ignored += batch.length - (batch.length === 0 ? 0 : await storeLines(database, day, batch))
    batch = []
  }
  for await (const line of provider.listMoney(day)) {
    const listed = toListed(line)
    if (listed === undefined) ignored += 1
    else batch.push(listed)
    if (batch.length >= BATCH_LINES) await store()
  }
  await store()
  return { ignored }
}

function toListed({ kind, source, ...line }: MoneyLine): ListedLine | undefined {
  const about = ABOUT[kind]
  if (about === undefined || source === null) return undefined
  return {
    ...line,
    about,
    object: source,
    paymentId: uuidOf(line.paymentId),
    organizationId: uuidOf(line.organizationId),
  }
}

/** Whoever wrote it may have written anything. */
function uuidOf(text: string | null): string | null {
  return text !== null && isUuid(text) ? text : null
}
