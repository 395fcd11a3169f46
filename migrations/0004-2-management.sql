-- Single sign-on, management keys, the audit log, and what organizations set for themselves.

create table sso_connections (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  name            text not null,
  issuer          text not null,
  client_id       text not null,
  sealed_secret   bytea not null,
  default_role    text not null,
  created_at      timestamptz not null default now(),
  constraint sso_connections_name_check check (length(name) between 1 and 100
                                               and name !~ '[[:cntrl:]]'),
  constraint sso_connections_role_check check (default_role in ('admin', 'member', 'viewer'))
);

create index sso_connections_organization_id_idx on sso_connections (organization_id, id);

create table sso_domains (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  domain          text not null,
  -- What the DNS TXT record must contain.
  challenge       text not null,
  created_at      timestamptz not null default now(),
  verified_at     timestamptz,
  unique (organization_id, domain)
);

create unique index sso_domains_verified_key on sso_domains (domain) where verified_at is not null;

create table sso_identities (
  connection_id uuid not null references sso_connections (id) on delete cascade,
  subject       text not null,
  account_id    uuid not null references accounts (id),
  created_at    timestamptz not null default now(),
  primary key (connection_id, subject)
);

create index sso_identities_account_id_idx on sso_identities (account_id);

create table management_keys (
  id              uuid primary key,
  -- Null for a key of the platform.
  organization_id uuid references organizations (id),
  name            text not null,
  hash            bytea not null unique,
  prefix          text not null,
  last4           text not null,
  scopes          text[] not null,
  created_by      uuid not null references accounts (id),
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  revoked_at      timestamptz,
  last_used_at    timestamptz,
  constraint management_keys_name_check check (length(name) between 1 and 100
                                               and name !~ '[[:cntrl:]]'),
  constraint management_keys_hash_check check (octet_length(hash) = 32),
  constraint management_keys_scopes_check check (cardinality(scopes) between 1 and 100)
);

create index management_keys_organization_id_idx on management_keys (organization_id, id);

-- Lets support read an organization.
create table support_access (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  granted_by      uuid not null references accounts (id),
  reason          text,
  created_at      timestamptz not null default now(),
  ends_at         timestamptz not null,
  ended_at        timestamptz
);

create index support_access_organization_id_idx on support_access (organization_id, id);

-- Every change, in the transaction that makes it. Never a secret, a token or a password.
create table audit_events (
  made_at         timestamptz not null default now(),
  id              uuid not null,
  -- Null for what concerns no organization.
  organization_id uuid,
  actor_kind      text not null,
  actor_id        text,
  -- An e-mail address, or the name of a key or of a system user.
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

create index audit_events_organization_id_idx on audit_events (organization_id, id);
create index audit_events_id_idx on audit_events (id);

create table audit_events_default partition of audit_events default;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  -- The worker moves rows that came before their month's partition out of the default partition.
  if tg_op = 'DELETE' and current_setting('headrace.moving_partition', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit log is append-only';
end
$$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();

-- Raised versions that Valkey does not have yet.
create table announcements (
  organization_id uuid primary key,
  version         bigint not null,
  created_at      timestamptz not null default now()
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
  updated_at      timestamptz not null default now(),
  constraint spending_alerts_thresholds_check check (cardinality(thresholds) between 1 and 10),
  constraint spending_alerts_emails_check check (cardinality(emails) <= 10),
  unique nulls not distinct (organization_id, project_id)
);

-- What was reached in which month; the rows that were not sent yet are a queue.
create table sent_alerts (
  alert_id   uuid not null references spending_alerts (id) on delete cascade,
  month      date not null,
  threshold  bigint not null,
  spent      bigint not null,
  reached_at timestamptz not null default now(),
  attempts   integer not null default 0,
  next_at    timestamptz not null default now(),
  sent_at    timestamptz,
  primary key (alert_id, month, threshold)
);

create index sent_alerts_queue_idx on sent_alerts (next_at) where sent_at is null;

-- The answer to a POST with an Idempotency-Key, for a day.
create table idempotency_keys (
  actor      text not null,
  key        text not null,
  route      text not null,
  body_hash  bytea not null,
  -- Null while the first request runs.
  status     smallint,
  answer     jsonb,
  created_at timestamptz not null default now(),
  primary key (actor, key)
);

create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
