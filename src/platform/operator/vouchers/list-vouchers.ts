import type { PageQuery } from '../../../contract/management/schemas.ts'
import { listVouchers as readVouchers } from '../../../store/ledger/vouchers/vouchers.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewVoucher } from './view-voucher.ts'

/** Newest first, without their codes, which are stored nowhere. */
export const listVouchers = defineRead(
  { action: 'voucher.list', permission: 'platform:read' },
  ({ environment, database }, query: PageQuery) =>
    readPage(
      query,
      (page) => readVouchers(database, page),
      (row) => viewVoucher(row, environment.settings.currency),
      ({ id }) => id,
    ),
)
