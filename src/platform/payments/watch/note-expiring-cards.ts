import { queueExpiringCards } from '../../../store/payments/expiring-cards.ts'
import type { Environment } from '../../use-case/environment.ts'

/** Tells owners of cards that automatic top-up cannot charge any more soon. There is no more. */
export async function noteExpiringCards({
  database,
}: Pick<Environment, 'database'>): Promise<boolean> {
  await queueExpiringCards(database)
  return false
}
