-- Invoices of postpaid organizations. A statement with an amount due has one payment of the kind
-- `invoice`. What is owed moves from the balance to the account `receivable:<organization id>` when
-- the provider has issued the invoice, and leaves it when the invoice is paid, void or written off.

-- What was paid to our bank account, outside of the payment provider.
insert into ledger_accounts (id) values ('bank') on conflict do nothing;

alter table transfers drop constraint transfers_kind_check;
alter table transfers add constraint transfers_kind_check check (kind in
  ('usage', 'grant', 'adjustment', 'payment', 'refund', 'dispute', 'expiry', 'voucher', 'fee',
  'invoice'));

alter table payments drop constraint payments_kind_check;
alter table payments add constraint payments_kind_check
  check (kind in ('page', 'automatic', 'invoice'));

alter table payments
  -- The month whose statement it is for, as 2026-10.
  add column statement_month text,
  -- When its entries of issuing were written. From then on `expires_at` is when it is due.
  add column issued_at       timestamptz,
  -- What an operator has decided about it, until the provider has it, too.
  add column settle          text,
  add constraint payments_statement_check
    check ((kind = 'invoice') = (statement_month is not null)),
  add constraint payments_issued_check check (kind = 'invoice' or issued_at is null),
  add constraint payments_settle_check
    check (settle in ('paid', 'written_off') and kind = 'invoice' or settle is null);
create unique index payments_statement_key on payments (organization_id, statement_month)
  where kind = 'invoice';
create index payments_unpaid_invoices_idx on payments (id)
  where kind = 'invoice' and state not in ('succeeded', 'failed', 'expired');

-- The month of the oldest invoice that is unpaid for so long that requests are refused.
alter table organizations add column overdue_month text;
