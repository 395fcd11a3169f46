import { writeFileSync } from 'node:fs'
import { API_VERSION } from '../../../src/payments/stripe/requests/send-request.ts'
import { askMock } from './base-object.ts'
import { startStripeMock } from './stripe-mock.ts'

const PATHS: Readonly<Record<string, string>> = {
  balance_transaction: '/v1/balance_transactions/txn_1',
  'billing_portal.session': 'POST /v1/billing_portal/sessions customer=cus_1',
  charge: '/v1/charges/ch_1',
  'checkout.session': '/v1/checkout/sessions/cs_1',
  credit_note: '/v1/credit_notes/cn_1',
  customer: '/v1/customers/cus_1',
  dispute: '/v1/disputes/dp_1',
  invoice: '/v1/invoices/in_1?expand[]=payments',
  invoiceitem: '/v1/invoiceitems/ii_1',
  payment_intent: '/v1/payment_intents/pi_1',
  payment_method: '/v1/payment_methods/pm_1',
  'radar.early_fraud_warning': '/v1/radar/early_fraud_warnings/issfr_1',
  refund: '/v1/refunds/re_1',
}

/** The names of the fields of each object that the scripted provider makes. */
export async function readFields(mock: string): Promise<Record<string, string[]>> {
  const fields: Record<string, string[]> = {}
  for (const [object, path] of Object.entries(PATHS)) {
    const [, body = ''] = /^POST \S+ (\S+)$/.exec(path) ?? []
    const method = body === '' ? 'GET' : 'POST'
    const url = body === '' ? path : (path.split(' ')[1] ?? '')
    const answer = await askMock(mock, { method, url, body, version: API_VERSION })
    fields[object] = Object.keys(answer as object).toSorted()
  }
  return fields
}

if (import.meta.main) {
  await using mock = await startStripeMock()
  if (mock === undefined) throw new Error('run stack/install-stripe-mock.sh first')
  const file = new URL('recorded-fields.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(await readFields(mock.url), null, 2)}\n`)
}
