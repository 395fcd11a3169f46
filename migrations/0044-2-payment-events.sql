-- Events of the provider that were heard of: by a webhook, or in its list. An event says only which
-- object to read, so nothing else of it is kept. It is stored with the order to read that object.
create table provider_events (
  id      text primary key,
  type    text not null,
  ref     text not null,
  source  text not null,
  made_at timestamptz not null default now(),
  constraint provider_events_source_check check (source in ('webhook', 'poll'))
);
create index provider_events_made_at_idx on provider_events (made_at);

-- How far the provider's list of events was read. Whoever reads it holds the lease.
create table provider_cursors (
  name         text primary key,
  at           timestamptz not null default now(),
  polled_at    timestamptz,
  leased_until timestamptz
);
insert into provider_cursors (name) values ('events');
