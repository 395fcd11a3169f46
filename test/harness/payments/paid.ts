import { waitUntil } from '../figures/measure.ts'
import { start, type Payer, type PayingConsole } from './paying-console.ts'

export type Paid = Payer & {
  /** Of the payment: its id here, and that of its money at the provider. */
  readonly id: string
  readonly moneyRef: string
  readonly page: string
}

/** An organization that has paid once. `read: false`: nobody here knows of it yet. */
export async function openPaid(
  console_: PayingConsole,
  amount: string,
  { read = true } = {},
): Promise<Paid> {
  return pay(console_, await console_.openPayer(), amount, { read })
}

/** An organization pays, perhaps once more. `saveCard`: with a card that is kept. */
export async function pay(
  console_: PayingConsole,
  payer: Payer,
  amount: string,
  { read = true, saveCard = false } = {},
): Promise<Paid> {
  const { id, page } = await start(payer, amount, { save_card: saveCard })
  if (!read)
    await console_.postgres.database
      .updateTable('payments')
      .set({ next_at: null })
      .where('id', '=', id)
      .execute()
  const session = await console_.control.complete(page)
  const isCredited = async () =>
    (await payer.post(`/payments/${id}/check`)).body['state'] === 'succeeded'
  if (read) await waitUntil('the payment', isCredited, 30_000)
  return { ...payer, id, page, moneyRef: String(session['payment_intent']) }
}
