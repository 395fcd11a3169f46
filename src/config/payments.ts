// The settings of payments. Without this section there are none, and nothing of them shows.
import { Type } from 'typebox'
import { characters, integer, list, mapping, oneOf, text } from './schema-nodes.ts'

const AMOUNT_MAX = 1_000_000

export const STRIPE_URL = 'https://api.stripe.com'

const SECRETS = 'one or two secrets that begin with whsec_, separated by commas'

export const Payments = Type.Optional(
  mapping(
    {
      provider: oneOf(['stripe'], 'Who takes the money.'),
      top_up_min: integer(
        1,
        AMOUNT_MAX,
        'Smallest payment, in units of the currency; at least what the provider charges. Until ' +
          'an organization has paid once, it can start payments of 20 times this amount a day.',
        5,
      ),
      top_up_max: integer(
        1,
        AMOUNT_MAX,
        'Largest payment or charge of a saved card, in units of the currency, without tax.',
        1000,
      ),
      automatic_minutes: integer(
        0,
        1440,
        'Minimum minutes between two automatic charges of an organization.',
        10,
      ),
      automatic_per_day: integer(
        1,
        100,
        'Maximum automatic charges of an organization per UTC day. A higher number counts for an ' +
          'organization when an owner agrees again.',
        5,
      ),
      tax: oneOf(
        ['none', 'provider'],
        'Who calculates tax, which is added to the amount: nobody, or the provider.',
        'none',
      ),
      invoice_days: integer(
        1,
        365,
        'Days until the invoice of a postpaid organization is due.',
        30,
      ),
      overdue_stop_days: integer(
        0,
        365,
        'Days after which an unpaid invoice that is due stops requests.',
        14,
      ),
      page_hosts: list(characters(253, 'Host name.'), 'a list of host names', {
        description: 'Hosts of pages of the provider that browsers are sent to.',
        default: [
          'checkout.stripe.com',
          'invoice.stripe.com',
          'pay.stripe.com',
          'billing.stripe.com',
        ],
      }),
      api_url: text('https?://[^\\s?#@]+', 2048, 'an http or https URL', {
        description: 'Address of the API, for tests. With a live key it must be that of Stripe.',
        default: STRIPE_URL,
      }),
    },
    'Payments of organizations by card. Needs HEADRACE_STRIPE_KEY and ' +
      'HEADRACE_STRIPE_WEBHOOK_SECRETS in `headrace console`, and the jobs of a console process.',
  ),
)

export const StripeKey = Type.Optional(
  text('[rs]k_(test|live)_\\S+', 4096, 'a key that begins with rk_ or sk_', {
    description: 'Restricted key of the Stripe account that takes payments.',
    secret: 'text',
    environment: 'HEADRACE_STRIPE_KEY',
  }),
)

export const StripeWebhookSecrets = list(
  text('whsec_\\S{16,}', 4096, SECRETS, { secret: 'text' }),
  SECRETS,
  {
    description: 'Signing secrets of the webhook at Stripe: one, or two while they are exchanged.',
    environment: 'HEADRACE_STRIPE_WEBHOOK_SECRETS',
    default: [],
    maxItems: 2,
  },
)
