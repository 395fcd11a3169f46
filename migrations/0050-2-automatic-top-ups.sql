-- What an owner of an organization has allowed: to charge its saved card by a multiple of `amount`
-- whenever its balance is below `threshold`, for at most `month_max` with tax in a UTC month.
create table automatic_top_ups (
  organization_id uuid primary key references organizations (id),
  enabled         boolean not null default true,
  -- In micro-units.
  threshold       bigint not null,
  amount          bigint not null,
  month_max       bigint not null,
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

-- Emails to owners about it: each is queued in the transaction of what it tells.
create table top_up_letters (
  id              uuid primary key default uuidv7(),
  organization_id uuid not null references organizations (id),
  kind            text not null,
  payment_id      uuid references payments (id),
  -- Why it was paused or declined, or which bound was reached.
  reason          text not null,
  made_at         timestamptz not null default now(),
  next_at         timestamptz default now(),
  attempts        integer not null default 0,
  -- Who has it already.
  delivered       text[] not null default '{}',
  constraint top_up_letters_kind_check check (kind in ('confirm', 'failed', 'paused', 'bound'))
);
create index top_up_letters_next_at_idx on top_up_letters (next_at) where next_at is not null;
create index top_up_letters_made_at_idx on top_up_letters (made_at);
create index payments_automatic_idx on payments (organization_id, created_at)
  where kind = 'automatic';
