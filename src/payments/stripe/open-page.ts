import { toMinor } from '../../tenancy/money/minor-units.ts'
import type { OpenedPage, PagePayment, ReturnUrls } from '../provider.ts'
import { Session } from './answers.ts'
import { metadataOf } from './our-metadata.ts'
import type { Send } from './requests/send-request.ts'

/**
 * Opens Stripe's page for one payment. Cards only, one currency and no codes, so that the amount is
 * the one we asked for. Every payment gets an invoice, because a receipt alone is no tax document.
 */
export async function openPage(
  send: Send,
  payment: PagePayment,
  urls: ReturnUrls,
): Promise<OpenedPage> {
  const metadata = metadataOf(payment, {
    kind: 'page',
    net: payment.amount,
    saveCard: payment.saveCard,
  })
  const { body: session } = await send({
    method: 'POST',
    path: '/v1/checkout/sessions',
    idempotencyKey: `${payment.id}-page-${payment.attempt}`,
    form: {
      mode: 'payment',
      customer: payment.customer,
      client_reference_id: payment.id,
      metadata,
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: payment.currency.toLowerCase(),
            unit_amount: toMinor(payment.currency, payment.amount),
            tax_behavior: payment.tax ? 'exclusive' : undefined,
            product_data: { name: payment.description },
          },
        },
      ],
      payment_method_types: ['card'],
      adaptive_pricing: { enabled: false },
      ...(payment.tax && {
        automatic_tax: { enabled: true },
        billing_address_collection: 'required',
        customer_update: { address: 'auto', name: 'auto' },
        tax_id_collection: { enabled: true },
      }),
      invoice_creation: { enabled: true, invoice_data: { metadata } },
      payment_intent_data: {
        metadata,
        setup_future_usage: payment.saveCard ? 'off_session' : undefined,
      },
      success_url: urls.success,
      cancel_url: urls.cancel,
      expires_at: Math.floor(payment.expiresAt.getTime() / 1000),
    },
    answer: Session,
  })
  const expiresAt = new Date(session.expires_at * 1000)
  return { ref: session.id, url: session.url ?? null, expiresAt }
}
