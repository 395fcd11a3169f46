import { useState } from 'react'
import { Fault } from '../../../api/fault.ts'
import type { PaymentOptions } from '../../../api/routes.ts'
import { useApi } from '../../../api/use-api.ts'
import { readAmount, readMicro } from '../../../format/amount.ts'
import { formatCount, formatMoney } from '../../../format/number.ts'
import { Dialog, DialogBody } from '../../../parts/dialog.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { AmountField, Checkbox, errorAt } from '../../../parts/field.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { useOrganization } from '../../../shell/organization.tsx'
import { gate } from '../../../words/gate.ts'
import { addMoney as words } from '../../../words/payments.ts'
import type { Wanted } from './payment-key.ts'
import { startPayment } from './start-payment.ts'
import { useLeaveToPage } from './use-leave-to-page.ts'
import { usePaymentOptions } from './use-payment-options.ts'

/** Times the smallest payment: 10, 25 and 100 where that is 5. */
const SUGGESTED = [2, 5, 20]
const CHOSEN_FIRST = 5
const MICRO = 1_000_000

type Props = {
  readonly onClose: () => void
  /** It was started before, and is not waiting for a card any more. */
  readonly onStarted: (payment: string) => void
}

/** Asks how much, and leads to the page where it is paid. */
export function AddMoney(props: Props) {
  const options = usePaymentOptions()
  if (options.data !== undefined) return <AmountDialog options={options.data} {...props} />
  return (
    <Dialog open title={gate.addMoney} description={words.text} onClose={props.onClose}>
      <DialogBody>
        <Loaded reading={options} what={gate.addMoney}>
          {() => null}
        </Loaded>
      </DialogBody>
    </Dialog>
  )
}

function AmountDialog({
  options,
  onClose,
  onStarted,
}: Props & { readonly options: PaymentOptions }) {
  const suggested = suggestedOf(options)
  const [amount, setAmount] = useState(() => String(firstOf(options)))
  const [saveCard, setSaveCard] = useState(false)
  const [isTried, setTried] = useState(false)
  const starting = useStart(onStarted)
  const micro = readMicro(amount)
  const isPayable = micro !== undefined && isWithin(options, micro)
  const send = () => {
    setTried(true)
    if (isPayable) starting.start({ amount: readAmount(amount), save_card: saveCard })
  }
  const { fault } = starting
  return (
    <FormDialog
      noValidate
      onClose={() => {
        if (!starting.busy) onClose()
      }}
      title={gate.addMoney}
      description={words.text}
      onSubmit={send}
      submit={
        isPayable
          ? words.submit(formatMoney({ ...options.min, amount_micro: micro }))
          : words.submitBare
      }
      busy={starting.busy}
      fault={fault}
      fields={['amount']}
    >
      <div className="stack">
        <Segments
          label={words.suggested}
          block
          options={suggested.map((each) => ({ value: String(each), label: formatCount(each) }))}
          chosen={amount.trim()}
          onChoose={setAmount}
        />
        <AmountField
          label={words.amount}
          hint={words.bounds(formatMoney(options.min), formatMoney(options.max))}
          currency={options.currency}
          value={amount}
          error={isTried && !isPayable ? wrongAmount(options) : errorAt(fault, 'amount')}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
      </div>
      <Checkbox
        label={words.saveCard}
        checked={saveCard}
        onChange={(event) => setSaveCard(event.currentTarget.checked)}
      />
      {isPayable && <Covered options={options} amount={micro} />}
      <p className="hint">{options.tax ? words.tax : words.noTax}</p>
      {starting.isStrange && (
        <p className="strip bad" role="alert">
          {words.strangePage}
        </p>
      )}
    </FormDialog>
  )
}

/** What a payment leaves of a balance below zero. */
function Covered({
  options,
  amount,
}: {
  readonly options: PaymentOptions
  readonly amount: number
}) {
  const { path } = useOrganization()
  const { data } = useApi('GET /organizations/{organization}/balance', { path })
  if (data === undefined || data.balance.amount_micro >= 0) return null
  const step = options.step.amount_micro
  const owed = Math.ceil(-data.balance.amount_micro / step) * step
  const format = (micro: number) => formatMoney({ ...options.min, amount_micro: micro })
  const balance = formatMoney(data.balance)
  return (
    <p className="strip warn" role="status">
      {amount <= owed
        ? words.allCovers(balance, format(amount), format(owed))
        : words.partCovers(balance, format(owed))}
    </p>
  )
}

function useStart(onStarted: Props['onStarted']) {
  const { slug } = useOrganization()
  const { isStrange, leaveTo } = useLeaveToPage()
  const [state, setState] = useState<{ readonly busy: boolean; readonly fault: Fault | null }>({
    busy: false,
    fault: null,
  })
  const start = async (wanted: Wanted) => {
    // The note stays until the answer: without it the second of two presses is beside the button.
    setState((before) => ({ ...before, busy: true }))
    try {
      const { id, url } = await startPayment(slug, wanted)
      setState({ busy: false, fault: null })
      if (url === null) onStarted(id)
      else leaveTo(url)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      setState({ busy: false, fault: error })
    }
  }
  return {
    ...state,
    isStrange,
    start: (wanted: Wanted) => void start(wanted),
  }
}

function suggestedOf(options: PaymentOptions): number[] {
  const least = options.min.amount_micro
  return SUGGESTED.filter((times) => isWithin(options, times * least)).map(
    (times) => (times * least) / MICRO,
  )
}

function firstOf(options: PaymentOptions): number {
  const least = options.min.amount_micro
  const first = isWithin(options, CHOSEN_FIRST * least) ? CHOSEN_FIRST * least : least
  return first / MICRO
}

function isWithin({ min, max, step }: PaymentOptions, micro: number): boolean {
  const isBetween = micro >= min.amount_micro && micro <= max.amount_micro
  return isBetween && micro % step.amount_micro === 0
}

function wrongAmount({ min, max, step }: PaymentOptions): string {
  return words.wrongAmount(formatMoney(min), formatMoney(max), formatMoney(step))
}
