-- The books of the service, credits that expire, vouchers, statements and spending alerts. Amounts
-- are whole micro-units of the operator's currency.

-- One row. The first process or command writes the currency that is in its configuration.
create table books (
  only_row         boolean primary key default true,
  currency         text not null,
  -- What all accounts of the ledger summed to when the worker last added them up. Operators see it
  -- without reading every account.
  sum              bigint,
  summed_at        timestamptz,
  -- The account at the payment provider, and whether real money moves there. Written by the first
  -- process that asks the provider; another account is refused from then on.
  provider_account text,
  provider_live    boolean,
  constraint books_only_row_check check (only_row),
  constraint books_currency_check check (currency ~ '^[A-Z]{3}$')
);

-- A transfer debits one account and credits another by the same amount, so all accounts sum to zero
-- whatever happens. Every organization has two accounts: `funds:<id>`, credited by what it was
-- given, and `usage:<id>`, debited by what it used. Its balance is what both sum to. What it owes
-- on invoices is in `receivable:<id>`.
create table ledger_accounts (
  id              text primary key,
  organization_id uuid references organizations (id),
  debits          bigint not null default 0,
  credits         bigint not null default 0,
  constraint ledger_accounts_sums_check check (debits >= 0 and credits >= 0)
);

-- Where money of organizations comes from and goes to.
insert into ledger_accounts (id) values
  ('grants'), ('adjustments'), ('revenue'),
  -- The money of redeemed vouchers. A credit that expires goes back to where it came from.
  ('vouchers'),
  -- What the provider holds or has paid out for us, and tax that it collected.
  ('provider:stripe'), ('tax'),
  -- What was paid to our bank account, outside of the payment provider.
  ('bank'),
  -- Refunds that were asked for and have not reached the customer; the provider's fees; money that
  -- is not to be had any more.
  ('refunds_pending'), ('fees'), ('losses');

create table transfers (
  id             uuid primary key,
  debit_account  text not null references ledger_accounts (id),
  credit_account text not null references ledger_accounts (id),
  amount         bigint not null,
  kind           text not null,
  -- Whoever makes a transfer names it, so that saying it again does nothing.
  reference      text not null unique,
  -- Who made it and why.
  made_by        text,
  reason         text,
  made_at        timestamptz not null default now(),
  constraint transfers_amount_check check (amount > 0),
  constraint transfers_accounts_check check (debit_account <> credit_account),
  constraint transfers_kind_check check (kind in
    ('usage', 'grant', 'adjustment', 'payment', 'refund', 'dispute', 'expiry', 'voucher', 'fee',
    'invoice')),
  constraint transfers_people_check check (kind = 'usage' or (made_by is not null
                                                              and reason is not null))
);

-- The history of an account is read newest first.
create index transfers_credit_account_id_idx on transfers (credit_account, id);
create index transfers_debit_account_id_idx on transfers (debit_account, id);

-- What the usage of an hour cost an organization. Other transfers are in `transfers`, whose
-- references must be unique for ever, which a table partitioned by time cannot promise.
create table usage_transfers (
  -- When it was posted.
  hour           timestamptz not null,
  debit_account  text not null,
  credit_account text not null,
  -- An opening is the sum of older transfers that were deleted.
  kind           text not null default 'usage',
  amount         bigint not null,
  primary key (hour, debit_account, credit_account, kind),
  constraint usage_transfers_amount_check check (amount > 0),
  constraint usage_transfers_accounts_check check (debit_account <> credit_account),
  constraint usage_transfers_kind_check check (kind in ('usage', 'opening'))
) partition by range (hour);

create table usage_transfers_default partition of usage_transfers default;

-- Money given to an organization that expires: one lot for each transfer that does. The rest of the
-- balance is what is in no lot. What was used since the lots of an organization were last settled
-- is not taken from them yet; usage is posted without looking at them.
create table credit_lots (
  id              uuid primary key references transfers (id),
  organization_id uuid not null references organizations (id),
  amount          bigint not null,
  remaining       bigint not null,
  -- What the organization had spent when its lots were last settled: the same in all of its lots of
  -- which something remains.
  attributed      bigint not null,
  expires_at      timestamptz not null,
  -- How often some of it was taken back: a part of the references of those transfers.
  parts           integer not null default 0,
  -- When an email about its end was queued.
  told_at         timestamptz,
  created_at      timestamptz not null default now(),
  constraint credit_lots_remaining_check check (remaining between 0 and amount)
);

create index credit_lots_organization_id_idx on credit_lots (organization_id, expires_at, id)
  where remaining > 0;
create index credit_lots_expires_at_idx on credit_lots (expires_at) where remaining > 0;

-- Codes that operators make, and that organizations redeem for balance.
create table vouchers (
  id                uuid primary key,
  -- SHA-256 of the code, which is stored nowhere.
  code_hash         bytea not null unique,
  -- What each organization gets.
  amount            bigint not null,
  organizations_max integer not null,
  -- How many organizations have redeemed it.
  redeemed          integer not null default 0,
  -- Until when it can be redeemed; null for ever.
  expires_at        timestamptz,
  -- After so many days what is left of the credit is taken back; null for never.
  credit_days       integer,
  note              text,
  -- An account, or the name of a management key or of whoever used the command line.
  made_by           uuid references accounts (id),
  made_by_name      text,
  made_at           timestamptz not null default now(),
  revoked_at        timestamptz,
  constraint vouchers_amount_check check (amount > 0),
  constraint vouchers_redeemed_check check (redeemed between 0 and organizations_max),
  constraint vouchers_credit_days_check check (credit_days > 0),
  constraint vouchers_made_by_check check ((made_by is null) <> (made_by_name is null))
);

-- An organization redeems a voucher once. The reference of the transfer names both.
create table voucher_redemptions (
  voucher_id      uuid not null references vouchers (id),
  organization_id uuid not null references organizations (id),
  transfer_id     uuid not null unique references transfers (id),
  redeemed_by     uuid not null references accounts (id),
  redeemed_at     timestamptz not null default now(),
  primary key (voucher_id, organization_id)
);

-- What an organization used in a month: written once, after the month is over, and never changed.
-- A request that is posted or replaced later is on the statement of the next month: a cell says
-- what the sums of usage are now, less what earlier statements have of the same month.
create table statements (
  organization_id   uuid not null references organizations (id),
  month             date not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  issued_at         timestamptz not null default now(),
  primary key (organization_id, month),
  constraint statements_month_check check (extract(day from month) = 1)
);

create table statement_cells (
  organization_id   uuid not null,
  month             date not null,
  -- The month of the requests: that of the statement, or the one before.
  used_in           date not null,
  project_id        uuid not null,
  model             text not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, month, used_in, project_id, model),
  foreign key (organization_id, month) references statements
);

-- Amounts of a calendar month (UTC) at which somebody is told. One row for the organization, and
-- one for each project that has its own.
create table spending_alerts (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  project_id      uuid references projects (id),
  thresholds      bigint[] not null,
  emails          text[] not null default '{}',
  webhook_url     text,
  -- Sealed; signs what is sent to the webhook.
  webhook_secret  bytea,
  -- Raised by every change, for If-Match.
  version         integer not null default 1,
  updated_at      timestamptz not null default now(),
  -- What the worker last found: the month, what was spent in it, and what the organization had
  -- spent in all by then. The sum of the month is read again only if it may have reached the next
  -- threshold. Null after a change.
  checked_month   date,
  checked_spent   bigint,
  checked_total   bigint,
  constraint spending_alerts_thresholds_check check (cardinality(thresholds) between 1 and 10),
  constraint spending_alerts_emails_check check (cardinality(emails) <= 10),
  unique nulls not distinct (organization_id, project_id)
);

create index spending_alerts_id_idx on spending_alerts (organization_id, id);

-- What was reached in which month; the rows that were not sent yet are a queue.
create table sent_alerts (
  alert_id    uuid not null references spending_alerts (id) on delete cascade,
  month       date not null,
  threshold   bigint not null,
  spent       bigint not null,
  reached_at  timestamptz not null default now(),
  attempts    integer not null default 0,
  next_at     timestamptz not null default now(),
  -- Recipients that have it: addresses, and `webhook`. They are not sent it again.
  delivered   text[] not null default '{}',
  sent_at     timestamptz,
  -- Nobody could be reached for a day.
  given_up_at timestamptz,
  primary key (alert_id, month, threshold)
);

create index sent_alerts_queue_idx on sent_alerts (next_at)
  where sent_at is null and given_up_at is null;
