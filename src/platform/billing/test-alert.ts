import type { AlertTest, AlertTestInput } from '../../contract/management/spending-alert.ts'
import { ApiError } from '../../contract/error.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { findSpendingAlert } from '../../store/ledger/spending-alerts.ts'
import type { SpendingAlertRow } from '../../store/postgres/platform-tables.ts'
import { findProject } from '../../store/tenants/projects.ts'
import type { Environment } from '../use-case/environment.ts'
import { sealerFor } from '../use-case/sealers.ts'
import { defineChange, defineFlow } from '../use-case/use-case.ts'
import { callWebhook } from './webhook.ts'

type Tested = {
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string }
  readonly project: { readonly id: string; readonly name: string } | null
}

/** Tells everybody whom a saved alert tells, without an amount that was reached. */
export const testAlert = defineFlow(
  { action: 'spending_alert.send_test', permission: 'billing:write' },
  async ({ environment, access }, input: AlertTestInput): Promise<AlertTest> => {
    const { database } = environment
    const { id, slug, name } = access.organization
    const project = input.project === null ? null : await findProject(database, id, input.project)
    const alert = await findSpendingAlert(database, {
      organizationId: id,
      projectId: project?.id ?? null,
    })
    if (alert === undefined) throw new ApiError('not_found', 'There is no such alert.')
    const tested = { organization: { id, slug, name }, project }
    const webhook = await callWithTest(environment, alert, tested)
    const emails = await mailTest(environment, alert, tested)
    const told = { organization: id, alertId: alert.id, webhook, emails }
    return noteTest(environment, access.actor, told)
  },
)

type Told = AlertTest & { readonly organization: string; readonly alertId: string }

const noteTest = defineChange(
  { action: 'spending_alert.test', permission: 'billing:write' },
  async (_context, { alertId, webhook, emails }: Told) => ({
    value: { webhook, emails },
    target: { kind: 'spending_alert', id: alertId },
    changes: { webhook: [null, webhook] as const, emails: [null, emails] as const },
  }),
)

async function callWithTest(
  { settings }: Environment,
  { id, webhook_url: url, webhook_secret: sealed }: SpendingAlertRow,
  { organization, project }: Tested,
): Promise<AlertTest['webhook']> {
  if (url === null || sealed === null) return null
  const secret = sealerFor(settings, 'webhook secret').open(sealed, id).toString()
  const shown = project && { id: project.id, name: project.name }
  const body = JSON.stringify({
    type: 'spending_alert.test',
    timestamp: new Date().toISOString(),
    data: { organization, project: shown },
  })
  const message = { url, secret, id: `test_${uuidV7()}`, body }
  try {
    await callWebhook(message, { privateHosts: settings.console.private_webhook_hosts })
    return 'delivered'
  } catch {
    // Whoever tests it learns that it failed, and the receiver knows why.
    return 'failed'
  }
}

/** Whoever tests need not be the one who reads it, so tests count like the alerts themselves. */
async function mailTest(
  { settings, mailer, loginLimits }: Environment,
  { emails }: SpendingAlertRow,
  { organization, project }: Tested,
): Promise<number> {
  if (!mailer.configured) return 0
  const name = project === null ? organization.name : `${project.name} of ${organization.name}`
  const link = `${settings.console.public_url.replace(/\/$/, '')}/o/${organization.slug}/billing`
  let sent = 0
  for (const email of emails) {
    const { waitMs } = await loginLimits.attempt({ kind: 'alerted', email })
    if (waitMs > 0) continue
    mailer.send(email, { kind: 'spending_alert_test', name, link })
    sent += 1
  }
  return sent
}
