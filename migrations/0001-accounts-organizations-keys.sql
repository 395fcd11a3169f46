-- Who may use the service: accounts, organizations, memberships, projects and API keys.
--
-- Ids are UUID version 7 made by the program, because PostgreSQL 16 and 17 cannot make them. Words
-- of a fixed set are text with a check rather than an enum type: a check can be widened in one
-- migration and narrowed in a later one. Plans live in the operator's file, so `organizations.plan`
-- is a name without a table behind it.

create table accounts (
  id            uuid primary key,
  email         text not null,
  state         text not null default 'waiting',
  -- Null while the registration is unfinished.
  registered_at timestamptz,
  created_at    timestamptz not null default now(),
  constraint accounts_email_check check (email ~ '^[^@[:cntrl:][:space:]]+@[^@[:cntrl:][:space:]]+$'
                                         and length(email) <= 320),
  constraint accounts_state_check check (state in ('waiting', 'active', 'restricted'))
);

create unique index accounts_email_key on accounts (lower(email));

create table organizations (
  id                            uuid primary key,
  slug                          text not null unique,
  name                          text not null,
  plan                          text not null,
  -- Limits of this organization alone; null means what its plan says, 0 admits nothing.
  requests_per_minute           bigint,
  requests_per_day              bigint,
  tokens_per_minute             bigint,
  tokens_per_day                bigint,
  retention                     text not null default 'zero',
  contributor_terms_version     text,
  contributor_terms_accepted_at timestamptz,
  contributor_terms_accepted_by uuid references accounts (id),
  billing_state                 text not null default 'ok',
  -- Raised by every change to anything that decides what a caller of this organization may do.
  version                       bigint not null default 1,
  created_at                    timestamptz not null default now(),
  constraint organizations_slug_check check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  constraint organizations_name_check check (length(name) between 1 and 200
                                             and name !~ '[[:cntrl:]]'),
  constraint organizations_plan_check check (length(plan) between 1 and 100),
  -- The ceiling is the one that the operator's file has for the limits of plans.
  constraint organizations_limits_check check (requests_per_minute between 0 and 10000000000
                                               and requests_per_day between 0 and 10000000000
                                               and tokens_per_minute between 0 and 10000000000
                                               and tokens_per_day between 0 and 10000000000),
  constraint organizations_retention_check check (retention in ('zero', 'standard', 'contributor')),
  constraint organizations_billing_state_check check (billing_state in ('ok', 'exhausted',
                                                                        'conflict')),
  constraint organizations_version_check check (version >= 1),
  constraint organizations_terms_check check (length(contributor_terms_version) between 1 and 100
                                              and contributor_terms_version !~ '[[:cntrl:]]'),
  -- Content may be contributed only under terms that someone accepted at some time.
  constraint organizations_consent_check check (
    retention <> 'contributor'
    or (contributor_terms_version is not null
        and contributor_terms_accepted_at is not null
        and contributor_terms_accepted_by is not null)
  )
);

create index organizations_contributor_terms_accepted_by_idx
  on organizations (contributor_terms_accepted_by)
  where contributor_terms_accepted_by is not null;

-- A membership that ended stays as a row, so that this table knows every organization in which an
-- account may have left API keys.
create table memberships (
  organization_id uuid not null references organizations (id),
  account_id      uuid not null references accounts (id),
  role            text not null,
  state           text not null default 'active',
  created_at      timestamptz not null default now(),
  primary key (organization_id, account_id),
  constraint memberships_role_check check (role in ('owner', 'admin', 'member')),
  constraint memberships_state_check check (state in ('active', 'removed'))
);

create index memberships_account_id_idx on memberships (account_id);

create table projects (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  name            text not null,
  archived_at     timestamptz,
  created_at      timestamptz not null default now(),
  constraint projects_name_check check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]')
);

-- The name of an archived project may be used again.
create unique index projects_organization_id_name_key
  on projects (organization_id, lower(name)) where archived_at is null;
create index projects_organization_id_idx on projects (organization_id, id);

-- `last_used_at` is in no index and pages are left a little free, so that noting a use is an update
-- within the page.
create table api_keys (
  id           uuid primary key,
  project_id   uuid not null references projects (id),
  -- Null for a key that belongs to the organization as a whole and not to one of its members.
  created_by   uuid references accounts (id),
  name         text not null,
  -- SHA-256 of the whole key. The key itself is never stored.
  hash         bytea not null unique,
  prefix       text not null,
  last4        text not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  constraint api_keys_name_check check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  constraint api_keys_hash_check check (octet_length(hash) = 32),
  constraint api_keys_last4_check check (length(last4) = 4)
) with (fillfactor = 85);

create index api_keys_project_id_idx on api_keys (project_id, id);
create index api_keys_created_by_idx on api_keys (created_by) where created_by is not null;
