-- Emails about payments that must not be lost: queued in the transaction that causes them, marked
-- when the mail server has accepted them. The key says what it is about, so that each is sent once.
create table letters (
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
create index letters_next_at_idx on letters (next_at)
  where sent_at is null and given_up_at is null;
create index letters_made_at_idx on letters (made_at);
create index letters_organization_id_idx on letters (organization_id);

-- What an event is about, and of a declined card whose payment it was: known when it was read.
alter table provider_events
  add column about           text not null default 'other',
  add column organization_id uuid references organizations (id),
  add column done_at         timestamptz;
create index provider_events_organization_id_idx on provider_events (organization_id, made_at)
  where organization_id is not null;
create index provider_events_declines_idx on provider_events (made_at)
  where about = 'decline' and done_at is null;
