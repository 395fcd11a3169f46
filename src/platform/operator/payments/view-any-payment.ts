import type { OperatorPayment } from '../../../contract/payments/operator-payment.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import { viewPayment } from '../../payments/view-payment.ts'
import { viewMoney } from '../../use-case/view-money.ts'

/** A payment as operators see it: without its page, which is for whoever pays. */
export function viewAnyPayment(row: PaymentRow, returned: number): OperatorPayment {
  return {
    ...viewPayment(row),
    url: null,
    organization_id: row.organization_id,
    started_by: row.started_by,
    returned: viewMoney(returned, row.currency),
    differences: Object.entries(row.differences ?? {}).map(([field, [ours, theirs]]) => ({
      field,
      ours,
      theirs,
    })),
    resolution: row.resolution,
  }
}
