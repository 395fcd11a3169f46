-- Where the audit log of an organization, or of the whole platform, is sent as it is written.
create table audit_streams (
  id              uuid primary key,
  -- Null for the platform: the events of all organizations, and those of none.
  organization_id uuid references organizations (id),
  url             text not null,
  -- Signs what is sent.
  sealed_secret   bytea not null,
  created_at      timestamptz not null default now(),
  -- Nobody sends before. A process that sends holds it by moving it ahead.
  next_at         timestamptz not null default now(),
  -- Attempts that failed since the last delivery, since when, and how the last one did.
  failures        integer not null default 0,
  failing_since   timestamptz,
  last_error      text,
  delivered       bigint not null default 0,
  delivered_at    timestamptz,
  unique nulls not distinct (organization_id)
);

create index audit_streams_next_at_idx on audit_streams (next_at);

-- Events that a stream has not delivered yet. They are added in the transaction that writes the
-- event and removed when the receiver has it, so that no event is left out, whatever the order in
-- which transactions end.
create table audit_stream_events (
  stream_id uuid not null references audit_streams (id) on delete cascade,
  position  bigint not null generated always as identity,
  made_at   timestamptz not null,
  event_id  uuid not null,
  primary key (stream_id, position)
);
