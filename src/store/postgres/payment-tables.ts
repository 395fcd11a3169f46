import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { PauseReason, TopUpBound } from '../../contract/payments/automatic-top-up.ts'
import type { PaymentKind, PaymentState } from '../../contract/payments/payment-states.ts'
import type { DisputeState, NoteState, RefundState } from '../../contract/payments/refund-states.ts'

// The columns of payments: see tables.ts.

type Fixed<Value> = ColumnType<Value, Value, never>
type CreatedAt = ColumnType<Date, Date | undefined, never>

type ProviderCustomersTable = {
  organization_id: Fixed<string>
  ref: Fixed<string>
  /** All of a card or nothing. */
  card_ref: string | null
  card_brand: string | null
  card_last_four: string | null
  card_expires_month: number | null
  card_expires_year: number | null
  created_at: CreatedAt
}

type PaymentsTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  kind: Fixed<PaymentKind>
  state: Generated<PaymentState>
  amount: number
  tax: number | null
  currency: Fixed<string>
  /** Null if it was found at the provider after our tables were restored. */
  started_by: Fixed<string | null>
  ref: string | null
  money_ref: string | null
  invoice_ref: string | null
  url: string | null
  cancel: Generated<boolean>
  save_card: ColumnType<boolean, boolean | undefined, never>
  card_ref: ColumnType<string | null, string | null | undefined, never>
  total_max: ColumnType<number | null, number | null | undefined, never>
  failure: string | null
  /** Of invoices: the month as 2026-10, when it was issued, and what an operator decided. */
  statement_month: ColumnType<string | null, string | null | undefined, never>
  issued_at: Date | null
  settle: 'paid' | 'written_off' | null
  differences: JSONColumnType<
    Readonly<Record<string, readonly [string, string]>>,
    string | null,
    string | null
  > | null
  /** How an operator ended it when facts contradicted. */
  resolution: 'credit' | 'refund' | 'outside' | null
  created_at: CreatedAt
  expires_at: ColumnType<Date, Date, Date>
  changed_at: Generated<Date>
  next_at: Date | null
  leased_until: Date | null
  hints: Generated<number>
  read_at: Date | null
}

type ProviderEventsTable = {
  id: Fixed<string>
  type: Fixed<string>
  ref: Fixed<string>
  about: Fixed<string>
  source: Fixed<'webhook' | 'poll'>
  organization_id: string | null
  done_at: Date | null
  made_at: CreatedAt
}

type AutomaticTopUpsTable = {
  organization_id: Fixed<string>
  enabled: Generated<boolean>
  threshold: number
  amount: number
  month_max: number
  day_max: number
  consent: string
  consented_by: string
  consented_at: Generated<Date>
  paused: PauseReason | null
  paused_at: Date | null
  failures: Generated<number>
  not_before: Date | null
  attempted_at: Date | null
  bound: TopUpBound | null
  bound_at: Date | null
}

type BillingContactsTable = {
  organization_id: Fixed<string>
  emails: string[]
  changed_at: Generated<Date>
}

type RefundsTable = {
  id: Fixed<string>
  payment_id: Fixed<string>
  organization_id: Fixed<string>
  state: Generated<RefundState>
  amount: Fixed<number>
  tax: Generated<number>
  moves: Generated<number>
  requested_by: Fixed<string | null>
  reason: Fixed<string | null>
  ref: string | null
  failure: string | null
  spent_keys: Generated<number>
  note: NoteState | null
  note_ref: string | null
  note_failure: string | null
  created_at: CreatedAt
  changed_at: Generated<Date>
}

type DisputesTable = {
  id: Fixed<string>
  payment_id: Fixed<string>
  organization_id: Fixed<string>
  state: DisputeState
  amount: Fixed<number>
  tax: Generated<number>
  moves: Generated<number>
  withdrawn: Generated<number>
  returned: Generated<number>
  reason: Fixed<string>
  ref: Fixed<string>
  created_at: CreatedAt
  changed_at: Generated<Date>
}

/** What is read at the provider, or asked of it, until it is over. */
type ProviderReadingsTable = {
  about: Fixed<'refund' | 'dispute' | 'request'>
  ref: Fixed<string>
  made_at: CreatedAt
  next_at: Generated<Date>
  leased_until: Date | null
  hints: Generated<number>
}

export type PaymentTables = {
  automatic_top_ups: AutomaticTopUpsTable
  billing_contacts: BillingContactsTable
  refunds: RefundsTable
  disputes: DisputesTable
  provider_readings: ProviderReadingsTable
  provider_events: ProviderEventsTable
  provider_customers: ProviderCustomersTable
  payments: PaymentsTable
}

export type PaymentRow = Selectable<PaymentsTable>
export type TopUpRow = Selectable<AutomaticTopUpsTable>
export type RefundRow = Selectable<RefundsTable>
export type DisputeRow = Selectable<DisputesTable>
export type ProviderReadingRow = Selectable<ProviderReadingsTable>
