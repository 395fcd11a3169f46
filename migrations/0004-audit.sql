-- The audit log, and the streams that send it on.

-- Every change, in the transaction that makes it. Never a secret, a token or a password.
create table audit_events (
  made_at         timestamptz not null default now(),
  id              uuid not null,
  -- Null for what concerns no organization.
  organization_id uuid,
  actor_kind      text not null,
  actor_id        text,
  -- An email address, or the name of a key or of a system user.
  actor_label     text not null,
  action          text not null,
  target_kind     text not null,
  target_id       text not null,
  target_label    text,
  -- Field → [before, after].
  changes         jsonb not null default '{}',
  request_id      text,
  primary key (made_at, id)
) partition by range (made_at);

-- Each filter of a list has the order of the list in its index.
create index audit_events_organization_id_idx on audit_events (organization_id, id);
create index audit_events_id_idx on audit_events (id);
create index audit_events_actor_idx on audit_events
  (organization_id, coalesce(actor_id, actor_label), id);
create index audit_events_action_idx on audit_events (organization_id, action, id);
create index audit_events_target_idx on audit_events (organization_id, target_id, id);
-- What one person did and what was done to them, in all organizations.
create index audit_events_by_actor_idx on audit_events (actor_id, id);
create index audit_events_about_idx on audit_events (target_id);

-- Catches what no month's partition was made for.
create table audit_events_default partition of audit_events default;

-- The log is append-only but for one thing: names and addresses of people who were deleted. What
-- happened, when, by and to which id stays as it was written.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  -- The worker moves rows that came before their month's partition out of the default partition,
  -- and then frees its file.
  if tg_op in ('DELETE', 'TRUNCATE')
      and current_setting('headrace.moving_partition', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE' and current_setting('headrace.forgetting_person', true) = 'on' then
    if to_jsonb(new) - '{actor_label,target_label,changes}'::text[]
        = to_jsonb(old) - '{actor_label,target_label,changes}'::text[]
      and new.changes <@ old.changes then
      return new;
    end if;
  end if;
  raise exception 'the audit log is append-only';
end
$$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();

-- A whole table can be emptied without touching a row, so the trigger of rows does not see it. The
-- trigger of the parent is not asked for one partition alone: each has its own.
create trigger audit_events_never_emptied before truncate on audit_events
  for each statement execute function refuse_audit_change();
create trigger audit_events_never_emptied before truncate on audit_events_default
  for each statement execute function refuse_audit_change();

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
  -- Since when it is not sent, because its receiver stayed away. Nothing is queued meanwhile.
  paused_at       timestamptz,
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
