import type { Route } from './route.ts'
import { ACCOUNT_ROUTES } from './routes/accounts.ts'
import { AUDIT_ROUTES } from './routes/audit.ts'
import { AUDIT_STREAM_ROUTES } from './routes/audit-streams.ts'
import { BILLING_ROUTES } from './routes/billing.ts'
import { FACTOR_ROUTES } from './routes/factors.ts'
import { INVITATION_ROUTES } from './routes/invitations.ts'
import { KEY_ROUTES } from './routes/keys.ts'
import { LEAKED_KEY_ROUTES } from './routes/leaked-keys.ts'
import { MANAGEMENT_KEY_ROUTES } from './routes/management-keys.ts'
import { MEMBER_ROUTES } from './routes/members.ts'
import { OPERATOR_ACCOUNT_ROUTES } from './routes/operator/accounts.ts'
import { OPERATOR_LEDGER_ROUTES } from './routes/operator/ledger.ts'
import { OPERATOR_INVOICE_ROUTES } from './routes/operator/invoices.ts'
import { OPERATOR_PAYMENT_ROUTES } from './routes/operator/payments.ts'
import { OPERATOR_ORGANIZATION_ROUTES } from './routes/operator/organizations.ts'
import { OPERATOR_SYSTEM_ROUTES } from './routes/operator/system.ts'
import { ORGANIZATION_ROUTES } from './routes/organizations.ts'
import { PAYMENT_ROUTES } from './routes/payments.ts'
import { TOP_UP_ROUTES } from './routes/top-up.ts'
import { PROJECT_ROUTES } from './routes/projects.ts'
import { REQUEST_LINK_ROUTES } from './routes/request-links.ts'
import { RETENTION_ROUTES } from './routes/retention.ts'
import { SCIM_TOKEN_ROUTES } from './routes/scim-tokens.ts'
import { SESSION_ROUTES } from './routes/sessions.ts'
import { SPENDING_ALERT_ROUTES } from './routes/spending-alerts.ts'
import { SSO_ROUTES } from './routes/sso.ts'
import { USAGE_ROUTES } from './routes/usage.ts'
import { OPERATOR_VOUCHER_ROUTES, VOUCHER_ROUTES } from './routes/vouchers.ts'

/** The management API: dispatcher, permissions, checks, OpenAPI and matrix come from this table. */
export const ROUTES: readonly Route[] = [
  ...SESSION_ROUTES,
  ...ACCOUNT_ROUTES,
  ...FACTOR_ROUTES,
  ...SSO_ROUTES,
  ...SCIM_TOKEN_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...PROJECT_ROUTES,
  ...KEY_ROUTES,
  ...LEAKED_KEY_ROUTES,
  ...MEMBER_ROUTES,
  ...INVITATION_ROUTES,
  ...MANAGEMENT_KEY_ROUTES,
  ...AUDIT_ROUTES,
  ...AUDIT_STREAM_ROUTES,
  ...BILLING_ROUTES,
  ...VOUCHER_ROUTES,
  ...PAYMENT_ROUTES,
  ...TOP_UP_ROUTES,
  ...RETENTION_ROUTES,
  ...SPENDING_ALERT_ROUTES,
  ...USAGE_ROUTES,
  ...REQUEST_LINK_ROUTES,
  ...OPERATOR_ACCOUNT_ROUTES,
  ...OPERATOR_LEDGER_ROUTES,
  ...OPERATOR_PAYMENT_ROUTES,
  ...OPERATOR_VOUCHER_ROUTES,
  ...OPERATOR_INVOICE_ROUTES,
  ...OPERATOR_ORGANIZATION_ROUTES,
  ...OPERATOR_SYSTEM_ROUTES,
]
