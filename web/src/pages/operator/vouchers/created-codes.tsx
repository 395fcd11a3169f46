import { Download } from 'lucide-react'
import { csvLine } from '../../../../../src/lib/csv.ts'
import type { CreatedVoucher } from '../../../api/routes.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../../parts/dialog.tsx'
import { saveFile } from '../../../parts/save-file.ts'
import { operatorVouchers as words } from '../../../words/operator-vouchers.ts'
import styles from './vouchers.module.css'

const FILE = 'vouchers.csv'

/** Column names are those of the API, for programs. */
const COLUMNS = ['code', 'id', 'amount', 'currency', 'expires_at', 'credit_days', 'note']

/** The codes, once: copied, or kept as a file. */
export function CreatedCodes({
  vouchers,
  onClose,
}: {
  readonly vouchers: readonly CreatedVoucher[]
  readonly onClose: () => void
}) {
  const codes = vouchers.map(({ code }) => code)
  return (
    <Dialog
      open
      wide
      keepOpen
      onClose={onClose}
      title={words.createdTitle(codes.length)}
      description={words.createdText}
    >
      <DialogBody>
        <ul
          className={styles.codes}
          data-shows="voucher-codes"
          aria-label={words.codes}
          tabIndex={0}
        >
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className={styles.kept}>
          <CopyButton value={codes.join('\n')} what={words.codes} label={words.copy} />
          <Button size="sm" onClick={() => saveFile(FILE, csvOf(vouchers), 'text/csv')}>
            <Download size={14} aria-hidden /> {words.download}
          </Button>
        </div>
      </DialogBody>
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function csvOf(vouchers: readonly CreatedVoucher[]): string {
  const lines = vouchers.map(({ code, id, amount, expires_at, credit_days, note }) =>
    csvLine([code, id, amount.amount, amount.currency, expires_at, credit_days, note]),
  )
  return [csvLine(COLUMNS), ...lines].join('')
}
