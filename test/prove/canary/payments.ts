import { join } from 'node:path'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { deliver, FORGERIES, signEvent } from '../../harness/payments/deliver-webhooks.ts'
import { controlOf } from '../../harness/payments/provider-client.ts'
import { startScriptedProvider } from '../../harness/payments/scripted-provider.ts'
import { ask, openPerson } from '../../harness/processes/console.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import { PREPAID, type CanaryEnvironment } from './environment.ts'
import { formsOf, type Form } from './forms.ts'
import { scanFolder, scanText, type Hit } from './scan.ts'
import { scanTables } from './stored.ts'
import { redeemOne } from './vouchers.ts'

const TIMEOUT_MS = 60_000

export type PaidLoad = {
  /** Webhooks that were refused, each with a line in the log. */
  readonly forged: number
  /** The page of a payment in a log, or in another table than that of payments; a metric; codes. */
  readonly hits: readonly Hit[]
}

/**
 * Somebody pays, at a console whose key at the provider and whose webhook secret contain the mark.
 * The provider fails once and some webhooks are forged, so that the console logs errors too.
 */
export async function payOnce(
  environment: CanaryEnvironment,
  provider: Awaited<ReturnType<typeof startScriptedProvider>>,
  mark: string,
): Promise<PaidLoad> {
  const { servers } = environment
  const secret = `whsec_${mark}0123456789`
  const console_ = await environment.startConsole({
    HEADRACE_STRIPE_KEY: `rk_test_${mark}0123456789`,
    HEADRACE_STRIPE_WEBHOOK_SECRETS: secret,
  })
  await using postgres = openPostgres(servers.databaseUrl)
  const { id } = await openOrganization(postgres.database, PREPAID)
  const { as } = await openPerson(postgres, { organizationId: id, role: 'owner' })
  const control = controlOf(provider.url)
  const root = `${console_.address}/management/v1`
  const path = `/organizations/${id}/payments`
  const body = { amount: { amount: '25.00' } }
  await control.script([{ at: 'POST /v1/checkout/sessions', when: 'before', status: 500 }])
  await ask(root, 'POST', path, { as, body })
  const { body: started } = await ask(root, 'POST', path, { as, body })
  const address = String(started['url'])
  const from = (await control.events()).length
  await control.complete(address.split('/pay/')[1]!)
  const hook = `${console_.address}/hooks/stripe`
  let forged = 0
  for (const event of await control.events(from)) {
    for (const forge of Object.values(FORGERIES))
      if ((await deliver(hook, forge(event, secret))) === 400) forged += 1
    await deliver(hook, signEvent(event, { secret }))
  }
  const isPaid = async () =>
    (await ask(root, 'POST', `${path}/${started.id}/check`, { as })).body['state'] === 'succeeded'
  await waitUntil('the payment to be credited', isPaid, TIMEOUT_MS)
  const codes = await redeemOne(root, postgres, { organizationId: id, as })
  const metrics = await (await fetch(`${console_.healthAddress}/metrics`)).text()
  const page: Form[] = [{ name: 'page of a payment', bytes: Buffer.from(address) }]
  const tables = await scanTables(servers.databaseUrl, page)
  await console_.end('SIGTERM')
  const hits = [
    ...tables.filter(({ file }) => file !== 'public.payments'),
    ...(await scanTables(servers.databaseUrl, codes)),
    ...scanFolder(join(servers.folder, 'logs'), [...page, ...codes]).hits,
    ...scanText('metrics', metrics, [...page, ...codes, ...formsOf(mark)]),
  ]
  return { forged, hits }
}
