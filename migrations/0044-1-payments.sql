-- Payments of organizations through a payment provider. A payment is `succeeded` if and only if the
-- transfer with the reference `payment:<id>` exists; both are written in one transaction.

-- What the provider holds or has paid out for us, and tax that it collected.
insert into ledger_accounts (id) values ('provider:stripe'), ('tax');

alter table transfers drop constraint transfers_kind_check;
alter table transfers add constraint transfers_kind_check
  check (kind in ('usage', 'grant', 'adjustment', 'payment'));

-- The account at the provider, and whether real money moves there. Written by the first process
-- that asks the provider; another account is refused from then on.
alter table books
  add column provider_account text,
  add column provider_live    boolean;

-- Who an organization is at the provider.
create table provider_customers (
  organization_id uuid primary key references organizations (id),
  ref             text not null unique,
  created_at      timestamptz not null default now()
);

create table payments (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  kind            text not null,
  state           text not null default 'created',
  -- Net, in micro-units: what is credited. The provider adds tax, which is known when it is paid.
  amount          bigint not null,
  tax             bigint,
  currency        text not null,
  started_by      uuid not null references accounts (id),
  -- Ids at the provider: the page, the movement of money, and the document.
  ref             text unique,
  money_ref       text unique,
  invoice_ref     text,
  -- Where the customer pays, as long as they can.
  url             text,
  -- The customer does not want it any more, or nobody has its address.
  cancel          boolean not null default false,
  -- The provider's word for the last decline.
  failure         text,
  -- Facts of the provider that contradict ours: field → ours and theirs.
  differences     jsonb,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  changed_at      timestamptz not null default now(),
  -- When it is read at the provider; null for never, unless a hint comes. Whoever reads it has a
  -- lease, and a hint that comes meanwhile raises `hints`, so that it is read again.
  next_at         timestamptz,
  leased_until    timestamptz,
  hints           integer not null default 0,
  read_at         timestamptz,
  constraint payments_kind_check check (kind in ('page')),
  constraint payments_state_check check (state in
    ('created', 'open', 'processing', 'succeeded', 'failed', 'expired', 'attention')),
  constraint payments_amount_check check (amount > 0),
  constraint payments_tax_check check (tax >= 0)
);
create index payments_organization_id_idx on payments (organization_id, id);
create index payments_started_by_idx on payments (started_by, created_at);
create index payments_next_at_idx on payments (next_at) where next_at is not null;
create index payments_state_idx on payments (state, id)
  where state not in ('succeeded', 'failed', 'expired');
