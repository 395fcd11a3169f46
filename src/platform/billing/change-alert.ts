import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import type {
  ChangedSpendingAlert,
  SpendingAlertChange,
} from '../../contract/management/spending-alert.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import {
  changeSpendingAlert,
  createSpendingAlert,
  lockSpendingAlert,
  removeSpendingAlert,
  type AlertSettings,
} from '../../store/ledger/spending-alerts.ts'
import type { AuditChanges, SpendingAlertRow } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { findProject } from '../../store/tenants/projects.ts'
import { formatAmount, parseAmount } from '../../tenancy/money/amount.ts'
import type { Settings } from '../use-case/environment.ts'
import { readAddresses } from '../mail/read-addresses.ts'
import { sealerFor } from '../use-case/sealers.ts'
import { defineChange, type Change } from '../use-case/use-case.ts'
import { viewAlert } from './view-alert.ts'
import { checkWebhookUrl, createWebhookSecret } from './webhook.ts'

export type ChangeAlertInput = SpendingAlertChange & {
  /** The version that the change is meant for, as in If-Match; null for any. */
  readonly ifMatch: string | null
}

/** Sets the alert of the organization or of one project. No thresholds remove it. */
export const changeAlert = defineChange(
  { action: 'spending_alert.change', permission: 'billing:write' },
  async ({ environment: { settings }, transaction, access }, input: ChangeAlertInput) => {
    const organizationId = access.organization.id
    const project =
      input.project === undefined || input.project === null
        ? null
        : await findProject(transaction, organizationId, input.project)
    const of = { organizationId, projectId: project?.id ?? null }
    const before = await lockSpendingAlert(transaction, of)
    checkMatch(input.ifMatch, before)
    const id = before?.id ?? uuidV7()
    const wanted = readSettings(settings, input, id, before)
    const row = await save(transaction, of, wanted.alert, id, before)
    const shown = row ?? { ...EMPTY, id, organization_id: organizationId, project_id: of.projectId }
    const view = viewAlert(
      { ...shown, project_name: project?.name ?? null, reached: [] },
      settings.currency,
    )
    const value: ChangedSpendingAlert = { ...view, webhook_secret: wanted.newSecret }
    return {
      value,
      target: { kind: 'spending_alert', id, label: project?.name ?? null },
      changes: {
        thresholds: [amountsOf(before), amountsOf(row)],
        emails: [before?.emails ?? [], row?.emails ?? []],
        ...webhookChanges(before?.webhook_url ?? null, row?.webhook_url ?? null),
      },
    } satisfies Change<ChangedSpendingAlert>
  },
)

const EMPTY = {
  thresholds: [],
  emails: [],
  webhook_url: null,
  webhook_secret: null,
  updated_at: new Date(0),
  version: 0,
  checked_month: null,
  checked_spent: null,
  checked_total: null,
}

async function save(
  transaction: Transaction<Tables>,
  of: { readonly organizationId: string; readonly projectId: string | null },
  alert: AlertSettings,
  id: string,
  before: SpendingAlertRow | undefined,
): Promise<SpendingAlertRow | undefined> {
  if (alert.thresholds.length === 0) {
    if (before !== undefined) await removeSpendingAlert(transaction, id)
    return undefined
  }
  if (before !== undefined) return changeSpendingAlert(transaction, id, alert)
  const created = await createSpendingAlert(transaction, of, { ...alert, id })
  if (created === undefined) throw changedMeanwhile()
  return created
}

function checkMatch(ifMatch: string | null, before: SpendingAlertRow | undefined): void {
  if (ifMatch === null || ifMatch === `"${before?.version ?? 0}"`) return
  throw changedMeanwhile()
}

function changedMeanwhile(): ApiError {
  return new ApiError('precondition_failed', 'Somebody changed this alert. Read it again.')
}

function readSettings(
  settings: Settings,
  input: SpendingAlertChange,
  id: string,
  before: SpendingAlertRow | undefined,
): { readonly alert: AlertSettings; readonly newSecret: string | null } {
  const thresholds = [...new Set(input.thresholds.map(readThreshold))].toSorted((a, b) => a - b)
  const emails = readAddresses(input.emails ?? [], 'emails')
  const url = input.webhook_url ?? null
  if (url === null) return { alert: { thresholds, emails, webhook: null }, newSecret: null }
  checkWebhookUrl(url, settings.console.private_webhook_hosts)
  const known = input.new_secret === true ? null : (before?.webhook_secret ?? null)
  if (known !== null)
    return { alert: { thresholds, emails, webhook: { url, sealedSecret: known } }, newSecret: null }
  const newSecret = createWebhookSecret()
  const sealedSecret = sealerFor(settings, 'webhook secret').seal(Buffer.from(newSecret), id)
  return { alert: { thresholds, emails, webhook: { url, sealedSecret } }, newSecret }
}

function readThreshold(text: string, at: number): number {
  const amount = parseAmount(text)
  if (amount !== undefined && amount > 0) return amount
  throw invalid(`thresholds[${at}]`, 'must be an amount above 0, such as "12.50"')
}

function invalid(param: string, must: string): ApiError {
  return new ApiError('invalid_value', `'${param}' ${must}.`, { param })
}

function amountsOf(row: SpendingAlertRow | undefined): string[] {
  return (row?.thresholds ?? []).map(formatAmount)
}

/** The path and the query of a webhook are often a secret: only its origin is recorded. */
function webhookChanges(before: string | null, after: string | null): AuditChanges {
  return {
    webhook_origin: [before && new URL(before).origin, after && new URL(after).origin],
    ...(before !== after && { webhook_replaced: [false, true] as const }),
  }
}
