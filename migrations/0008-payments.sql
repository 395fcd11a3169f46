-- Payments of organizations through a payment provider, what goes back, and emails about money.
-- Amounts are micro-units.

-- Who an organization is at the provider, and its card there, which may be charged later without
-- anybody present: what its owner recognizes it by. There is no number of a card.
create table provider_customers (
  organization_id    uuid primary key references organizations (id),
  ref                text not null unique,
  card_ref           text,
  card_brand         text,
  card_last_four     text,
  card_expires_month smallint,
  card_expires_year  smallint,
  created_at         timestamptz not null default now()
);

-- Who gets emails about the money of an organization instead of its owners. Of its own, so that
-- neither the API nor the worker can read the addresses.
create table billing_contacts (
  organization_id uuid primary key references organizations (id),
  emails          text[] not null,
  changed_at      timestamptz not null default now(),
  constraint billing_contacts_emails_check check (cardinality(emails) between 1 and 10)
);

-- A payment is `succeeded` if and only if the transfer with the reference `payment:<id>` exists;
-- both are written in one transaction. Requests to the provider are made from the row, so it has
-- all that they say.
--
-- A statement with an amount due has one payment of the kind `invoice`. What is owed moves from the
-- balance to the account `receivable:<organization id>` when the provider has issued the invoice,
-- and leaves it when the invoice is paid, void or written off.
create table payments (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  kind            text not null,
  state           text not null default 'created',
  -- Net: what is credited. The provider adds tax, which is known when it is paid.
  amount          bigint not null,
  tax             bigint,
  currency        text not null,
  -- Null for one that was found at the provider after a restore, and for one that nobody started.
  started_by      uuid references accounts (id),
  -- Ids at the provider: the page, the movement of money, and the document.
  ref             text unique,
  money_ref       text unique,
  invoice_ref     text,
  -- Where the customer pays, as long as they can.
  url             text,
  -- Whether whoever pays agreed that the card is kept for later.
  save_card       boolean not null default false,
  -- For a charge without anybody present: the card, and the most that it may be charged with tax.
  -- A card that is saved meanwhile changes no request that is repeated.
  card_ref        text,
  total_max       bigint,
  -- For an invoice: the month of its statement, as 2026-10, and when its entries of issuing were
  -- written. From then on `expires_at` is when it is due.
  statement_month text,
  issued_at       timestamptz,
  -- What an operator has decided about an invoice, until the provider has it, too.
  settle          text,
  -- The customer does not want it any more, or nobody has its address.
  cancel          boolean not null default false,
  -- The provider's word for the last decline.
  failure         text,
  -- Facts of the provider that contradict ours: field → ours and theirs.
  differences     jsonb,
  -- How an operator ended a payment whose facts contradicted ours.
  resolution      text,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  changed_at      timestamptz not null default now(),
  -- When it is read at the provider; null for never, unless a hint comes. Whoever reads it has a
  -- lease, and a hint that comes meanwhile raises `hints`, so that it is read again.
  next_at         timestamptz,
  leased_until    timestamptz,
  hints           integer not null default 0,
  read_at         timestamptz,
  constraint payments_kind_check check (kind in ('page', 'automatic', 'invoice')),
  constraint payments_state_check check (state in ('created', 'open',
    'processing', 'needs_customer', 'succeeded', 'failed', 'expired', 'attention')),
  constraint payments_amount_check check (amount > 0),
  constraint payments_tax_check check (tax >= 0),
  constraint payments_card_check
    check ((kind = 'automatic') = (card_ref is not null and total_max is not null)),
  constraint payments_statement_check
    check ((kind = 'invoice') = (statement_month is not null)),
  constraint payments_issued_check check (kind = 'invoice' or issued_at is null),
  constraint payments_settle_check
    check (settle in ('paid', 'written_off') and kind = 'invoice' or settle is null),
  constraint payments_resolution_check check (resolution in ('credit', 'refund', 'outside'))
);

create index payments_organization_id_idx on payments (organization_id, id);
create index payments_started_by_idx on payments (started_by, created_at);
create index payments_next_at_idx on payments (next_at) where next_at is not null;
create index payments_state_idx on payments (state, id)
  where state not in ('succeeded', 'failed', 'expired');
-- At most one automatic payment is in flight for each organization, whoever starts them.
create unique index payments_automatic_key on payments (organization_id)
  where kind = 'automatic'
    and state in ('created', 'open', 'processing', 'needs_customer', 'attention');
create index payments_automatic_idx on payments (organization_id, created_at)
  where kind = 'automatic';
create unique index payments_statement_key on payments (organization_id, statement_month)
  where kind = 'invoice';
create index payments_unpaid_invoices_idx on payments (id)
  where kind = 'invoice' and state not in ('succeeded', 'failed', 'expired');

-- What an owner of an organization has allowed: to charge its saved card by a multiple of `amount`
-- whenever its balance is below `threshold`, for at most `month_max` with tax in a UTC month.
create table automatic_top_ups (
  organization_id uuid primary key references organizations (id),
  enabled         boolean not null default true,
  threshold       bigint not null,
  amount          bigint not null,
  month_max       bigint not null,
  -- Charges a day that were agreed to; fewer if the setting is lower by now.
  day_max         integer not null,
  -- The version of the text that was agreed to, by whom and when.
  consent         text not null,
  consented_by    uuid not null references accounts (id),
  consented_at    timestamptz not null default now(),
  -- Why it does nothing until an owner resumes it.
  paused          text,
  paused_at       timestamptz,
  -- Declines in a row that may pass by themselves, and when the card is tried again.
  failures        integer not null default 0,
  not_before      timestamptz,
  attempted_at    timestamptz,
  -- The bound that stops it, and when it was first met.
  bound           text,
  bound_at        timestamptz,
  constraint automatic_top_ups_amounts_check
    check (threshold > 0 and amount > 0 and month_max >= amount),
  constraint automatic_top_ups_paused_check check ((paused is null) = (paused_at is null)),
  constraint automatic_top_ups_bound_check
    check (bound in ('day', 'month') and bound_at is not null or bound is null and bound_at is null)
);

-- Money that goes back: refunds, and disputes in which a bank takes it. Where the money of each is,
-- follows from its state, and every move is written in the transaction that changes the state.
-- Amounts are with tax, and `tax` is the tax in them. `moves` is how often the money was moved: a
-- part of the references of its transfers.
create table refunds (
  id              uuid primary key,
  payment_id      uuid not null references payments (id),
  organization_id uuid not null references organizations (id),
  state           text not null default 'requested',
  amount          bigint not null,
  tax             bigint not null default 0,
  moves           integer not null default 0,
  -- Null for a refund that was made at the provider.
  requested_by    text,
  reason          text,
  -- Its id at the provider, as soon as that is known.
  ref             text unique,
  failure         text,
  -- Idempotency keys under which the provider repeats a failure of its own.
  spent_keys      integer not null default 0,
  -- The credit note that the provider is to write for the refund of an invoice: its id there, or
  -- the provider's word for why it refused. Null if none is needed from us.
  note            text,
  note_ref        text,
  note_failure    text,
  created_at      timestamptz not null default now(),
  changed_at      timestamptz not null default now(),
  constraint refunds_state_check check (state in ('requested', 'pending', 'succeeded', 'failed')),
  constraint refunds_amount_check check (amount > 0),
  constraint refunds_tax_check check (tax between 0 and amount),
  constraint refunds_note_check check (note in ('owed', 'made', 'refused')
    and (note = 'made') = (note_ref is not null)
    and (note = 'refused') = (note_failure is not null)
    or note is null and note_ref is null and note_failure is null)
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

-- Events of the provider that were heard of: by a webhook, or in its list. An event says only which
-- object to read, and is stored with the order to read that object.
create table provider_events (
  id              text primary key,
  type            text not null,
  ref             text not null,
  source          text not null,
  -- What it is about, and of a declined card whose payment it was: known when it was read.
  about           text not null default 'other',
  organization_id uuid references organizations (id),
  made_at         timestamptz not null default now(),
  done_at         timestamptz,
  constraint provider_events_source_check check (source in ('webhook', 'poll'))
);

create index provider_events_made_at_idx on provider_events (made_at);
-- Whether a hint led to anything is asked for by what it is about.
create index provider_events_ref_idx on provider_events (ref);
create index provider_events_organization_id_idx on provider_events (organization_id, made_at)
  where organization_id is not null;
create index provider_events_declines_idx on provider_events (made_at)
  where about = 'decline' and done_at is null;

-- Emails about money that must not be lost: queued in the transaction that causes them, marked when
-- the mail server has accepted them. The key says what it is about, so that each is sent once.
create table queued_emails (
  key             text primary key,
  kind            text not null,
  -- Whose owners get it; null for the operators of the service.
  organization_id uuid references organizations (id),
  -- What it says, without names and addresses.
  facts           jsonb not null default '{}',
  made_at         timestamptz not null default now(),
  next_at         timestamptz not null default now(),
  attempts        integer not null default 0,
  -- Addresses that have it, until all do.
  delivered       text[] not null default '{}',
  sent_at         timestamptz,
  given_up_at     timestamptz
);

create index queued_emails_next_at_idx on queued_emails (next_at)
  where sent_at is null and given_up_at is null;
create index queued_emails_made_at_idx on queued_emails (made_at);
create index queued_emails_organization_id_idx on queued_emails (organization_id);
