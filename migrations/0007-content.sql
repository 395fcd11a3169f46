-- Content of requests that organizations let the operator keep, always encrypted.

-- It is encrypted with a key of the organization's own for each kind of retention and each UTC day,
-- which is itself encrypted with the operator's. Destroying the row makes all that was encrypted
-- with it unreadable for good, in copies of the database's files too.
create table content_keys (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  retention       text not null,
  day             date not null,
  wrapped         bytea not null,
  created_at      timestamptz not null default now(),
  unique (organization_id, retention, day),
  constraint content_keys_retention_check check (retention in ('standard', 'contributor'))
);

create index content_keys_day_idx on content_keys (retention, day);

-- The two kinds of retention end at different times, so each has days of its own that are dropped
-- whole.
create table retained_content (
  retention         text not null,
  kept_on           date not null,
  id                uuid not null,
  organization_id   uuid not null,
  project_id        uuid not null,
  -- No foreign key: the row outlives its key when that is destroyed.
  key_id            uuid not null,
  -- The consent under which a contribution was made, as it stood at the request.
  terms_version     text,
  terms_accepted_at timestamptz,
  terms_accepted_by uuid,
  model             text not null,
  sealed            bytea not null,
  primary key (retention, kept_on, id),
  constraint retained_content_consent_check check (
    retention <> 'contributor'
    or (terms_version is not null and terms_accepted_at is not null
        and terms_accepted_by is not null)
  )
) partition by list (retention);

create index retained_content_organization_id_idx on retained_content (organization_id, id);

create table retained_standard partition of retained_content
  for values in ('standard') partition by range (kept_on);
create table retained_standard_default partition of retained_standard default;

create table retained_contributor partition of retained_content
  for values in ('contributor') partition by range (kept_on);
create table retained_contributor_default partition of retained_contributor default;
