import type {
  OperatorDispute,
  OperatorPayment,
} from '../../../contract/payments/operator-payment.ts'
import type { NamedDispute } from '../../../store/payments/disputes.ts'
import type { NamedPayment } from '../../../store/payments/list-payments.ts'
import { viewDispute } from '../../payments/returned-money/view-returned.ts'
import { viewPayment } from '../../payments/view-payment.ts'
import { viewMoney } from '../../use-case/view-money.ts'

/** A payment as operators see it: without its page, which is for whoever pays. */
export function viewAnyPayment(row: NamedPayment, returned: number): OperatorPayment {
  return {
    ...viewPayment(row),
    url: null,
    organization_id: row.organization_id,
    organization_slug: row.slug,
    organization_name: row.name,
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

export function viewAnyDispute(row: NamedDispute, currency: string): OperatorDispute {
  const names = { organization_slug: row.slug, organization_name: row.name }
  return { ...viewDispute(row, currency), ...names }
}
