-- Money that goes back: refunds, and disputes in which a bank takes it. Where the money of each is,
-- follows from its state, and every move is written in the transaction that changes the state.

-- Refunds that were asked for and have not reached the customer; the provider's fees; money that is
-- not to be had any more.
insert into ledger_accounts (id) values ('refunds_pending'), ('fees'), ('losses')
  on conflict do nothing;

alter table transfers drop constraint transfers_kind_check;
alter table transfers add constraint transfers_kind_check
  check (kind in ('usage', 'grant', 'adjustment', 'payment', 'refund', 'dispute'));

-- How an operator ended a payment whose facts contradicted ours.
alter table payments add column resolution text
  constraint payments_resolution_check check (resolution in ('credit', 'refund', 'outside'));

create table refunds (
  id              uuid primary key,
  payment_id      uuid not null references payments (id),
  organization_id uuid not null references organizations (id),
  state           text not null default 'requested',
  -- With tax, in micro-units, and the tax in it.
  amount          bigint not null,
  tax             bigint not null default 0,
  -- How often its money was moved: a part of the references of its transfers.
  moves           integer not null default 0,
  -- Null for a refund that was made at the provider.
  requested_by    text,
  reason          text,
  -- Its id at the provider, as soon as that is known.
  ref             text unique,
  failure         text,
  created_at      timestamptz not null default now(),
  changed_at      timestamptz not null default now(),
  constraint refunds_state_check check (state in ('requested', 'pending', 'succeeded', 'failed')),
  constraint refunds_amount_check check (amount > 0),
  constraint refunds_tax_check check (tax between 0 and amount)
);
create index refunds_payment_id_idx on refunds (payment_id);
create index refunds_organization_id_idx on refunds (organization_id)
  where state in ('requested', 'pending');

create table disputes (
  id              uuid primary key,
  payment_id      uuid not null references payments (id),
  organization_id uuid not null references organizations (id),
  state           text not null,
  amount          bigint not null,
  tax             bigint not null default 0,
  moves           integer not null default 0,
  -- What the bank has taken so far, and what it gave back.
  withdrawn       bigint not null default 0,
  returned        bigint not null default 0,
  -- The provider's word for why.
  reason          text not null,
  ref             text not null unique,
  created_at      timestamptz not null default now(),
  changed_at      timestamptz not null default now(),
  constraint disputes_state_check check (state in ('inquiry', 'open', 'won', 'lost')),
  constraint disputes_amount_check check (amount > 0),
  constraint disputes_tax_check check (tax between 0 and amount)
);
create index disputes_payment_id_idx on disputes (payment_id);
create index disputes_organization_id_idx on disputes (organization_id)
  where state in ('inquiry', 'open');

-- What must be read at the provider (refunds and disputes), or asked of it (a `request` is a refund
-- by its id here), until it is over. Whoever does it has a lease, and a hint that comes meanwhile
-- raises `hints`, so that it is done again.
create table provider_readings (
  about        text not null,
  ref          text not null,
  made_at      timestamptz not null default now(),
  next_at      timestamptz not null default now(),
  leased_until timestamptz,
  hints        integer not null default 0,
  primary key (about, ref),
  constraint provider_readings_about_check check (about in ('refund', 'dispute', 'request'))
);
create index provider_readings_next_at_idx on provider_readings (next_at);
