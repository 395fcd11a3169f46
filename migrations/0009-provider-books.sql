-- What the payment provider's lists say, and the comparison of its books with the ledger. Amounts
-- are micro-units.

-- How far the provider's lists of events and of movements of money were read. Whoever reads one
-- holds the lease.
create table provider_cursors (
  name         text primary key,
  at           timestamptz not null default now(),
  polled_at    timestamptz,
  -- When a process first tried to read it.
  begun_at     timestamptz,
  leased_until timestamptz
);

insert into provider_cursors (name) values ('events'), ('money');

-- Movements of money at the provider for our payments, refunds and disputes. They are kept, because
-- the entry of a movement may be made weeks after it, and belongs to it all the same.
create table provider_lines (
  ref          text primary key,
  -- The UTC day at the provider.
  day          date not null,
  made_at      timestamptz not null,
  about        text not null,
  -- The payment's `money_ref`, or the `ref` of the refund or dispute.
  object_ref   text not null,
  -- Whose money it is, as far as that is known: after a restore there may be no such row.
  payment_id   uuid,
  -- In the currency of the object. The fee is in that of the provider's account.
  amount       bigint not null,
  currency     text not null,
  fee          bigint not null,
  fee_currency text not null,
  constraint provider_lines_about_check check (about in ('payment', 'refund', 'dispute'))
);

create index provider_lines_day_idx on provider_lines (day, about, object_ref);
create index provider_lines_object_ref_idx on provider_lines (about, object_ref);

-- What the comparison of each UTC day found. Amounts are of the ledger's currency, and negative
-- where money left.
create table provider_days (
  day            date primary key,
  their_charges  bigint not null,
  our_charges    bigint not null,
  their_refunds  bigint not null,
  our_refunds    bigint not null,
  their_disputes bigint not null,
  our_disputes   bigint not null,
  their_fees     bigint not null,
  our_fees       bigint not null,
  -- Fees in other currencies, which are not in the ledger: currency → amount.
  other_fees     jsonb not null,
  -- Movements without an entry, and entries without a movement after three days.
  without_entry  integer not null,
  without_line   integer not null,
  -- Entries whose movement may still come.
  awaited        integer not null,
  -- Movements of other products of the account.
  ignored        integer not null,
  -- The amounts of all that is without the other side, added up without their signs.
  difference     bigint not null,
  -- What they are, the first of them.
  items          jsonb not null,
  -- Whether operators are told: hints have not helped.
  alert          boolean not null,
  compared_at    timestamptz not null,
  -- A day that differs is compared again each day until then.
  compared_until timestamptz not null
);
