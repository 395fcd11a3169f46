-- Who may use the service: accounts, organizations, memberships, projects and API keys.
--
-- Ids are UUID version 7 made by the program, because PostgreSQL 16 and 17 cannot make them. Words
-- of a fixed set are text with a check rather than an enum type: a check can be widened in one
-- migration and narrowed in a later one. Plans live in the operator's file, so `organizations.plan`
-- is a name without a table behind it.

-- Indexes on any part of a name. The owner of a database may create this extension, because it is a
-- trusted one.
create extension if not exists pg_trgm;

-- A deleted account or organization keeps a row that names nobody, because usage, the ledger and
-- the audit log refer to its id for as long as they are kept.
create table accounts (
  id                uuid primary key,
  email             text not null,
  name              text,
  state             text not null default 'waiting',
  -- Null while the registration is unfinished.
  registered_at     timestamptz,
  email_verified_at timestamptz,
  -- What the account may do for the whole service; null for everyone who only uses it.
  platform_role     text,
  terms_version     text,
  terms_accepted_at timestamptz,
  -- Whether an invitation let the account in, past the waiting list or a closed sign-up. No
  -- operator has admitted such a person, so they create no organizations until one does.
  by_invitation     boolean not null default false,
  -- What somebody on the waiting list wrote to the operator about themselves.
  waiting_note      text,
  -- The language of the console and of emails that a person has chosen; null is none yet. Which
  -- ones there are is a matter of the release: another one is not a migration.
  language          text,
  created_at        timestamptz not null default now(),
  deleted_at        timestamptz,
  constraint accounts_email_check check (email ~ '^[^@[:cntrl:][:space:]]+@[^@[:cntrl:][:space:]]+$'
                                         and length(email) <= 320),
  -- Programs and databases disagree about the lower case of letters outside ASCII, so that several
  -- spellings could name one account. A domain in another script is stored in its xn-- form.
  constraint accounts_email_ascii_check check (email !~ '[^!-~]'),
  constraint accounts_name_check check (length(name) between 1 and 100
                                        and name !~ '[[:cntrl:]]'),
  constraint accounts_state_check check (state in ('waiting', 'active', 'restricted')),
  constraint accounts_platform_role_check check (platform_role in ('support', 'operator')),
  constraint accounts_waiting_note_check check (length(waiting_note) between 1 and 500),
  constraint accounts_language_check check (length(language) <= 35)
);

create unique index accounts_email_key on accounts (lower(email));
-- For searches by the beginning of an address, and by any part of an address or a name.
create index accounts_email_prefix_idx on accounts (lower(email) text_pattern_ops);
create index accounts_email_name_trgm_idx
  on accounts using gin (lower(email) gin_trgm_ops, lower(name) gin_trgm_ops);
-- For the lists of operators.
create index accounts_state_idx on accounts (state, id);
create index accounts_waiting_idx on accounts (id) where state = 'waiting';
create index accounts_platform_role_idx on accounts (platform_role, id)
  where platform_role is not null;
create index accounts_deleted_at_idx on accounts (deleted_at) where deleted_at is not null;

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
  -- How much it may owe at most on a postpaid plan, in micro-units; null means any amount.
  credit_limit                  bigint,
  -- The month of the oldest invoice that is unpaid for so long that requests are refused.
  overdue_month                 text,
  -- The operator closed it for a reason: its keys and its playground get 403 until the operator
  -- opens it again. Its members see the reason.
  suspended_at                  timestamptz,
  suspended_reason              text,
  -- Members must sign in with the organization's identity provider, or with a second factor.
  sso_only                      boolean not null default false,
  second_factor_required        boolean not null default false,
  -- How long sessions of members may last; null for as long as the service allows.
  session_hours                 smallint,
  -- Where members and keys may call from; none means from anywhere.
  allowed_networks              text[] not null default '{}',
  -- Raised by every change to anything that decides what a caller of this organization may do.
  version                       bigint not null default 1,
  created_at                    timestamptz not null default now(),
  deleted_at                    timestamptz,
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
  constraint organizations_terms_check check (length(contributor_terms_version) between 1 and 100
                                              and contributor_terms_version !~ '[[:cntrl:]]'),
  -- Content may be contributed only under terms that someone accepted at some time.
  constraint organizations_consent_check check (
    retention <> 'contributor'
    or (contributor_terms_version is not null
        and contributor_terms_accepted_at is not null
        and contributor_terms_accepted_by is not null)
  ),
  constraint organizations_billing_state_check check (billing_state in ('ok', 'exhausted',
                                                                        'conflict')),
  constraint organizations_credit_limit_check check (credit_limit >= 0),
  constraint organizations_suspended_check check (
    (suspended_at is null) = (suspended_reason is null)
    and length(suspended_reason) between 1 and 200),
  constraint organizations_session_hours_check check (session_hours between 1 and 720),
  constraint organizations_allowed_networks_check check (cardinality(allowed_networks) <= 50),
  constraint organizations_version_check check (version >= 1)
);

-- For searches by the beginning of a name or a slug, and by any part of either.
create index organizations_name_idx on organizations (lower(name) text_pattern_ops);
create index organizations_slug_prefix_idx on organizations (slug text_pattern_ops);
create index organizations_name_slug_trgm_idx
  on organizations using gin (lower(name) gin_trgm_ops, slug gin_trgm_ops);
-- Names are not unique, so that the order of a list needs the id. With "C" pairs compare in this
-- order.
create index organizations_name_id_idx on organizations ((lower(name) collate "C"), id);
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
  constraint memberships_role_check check (role in ('owner', 'admin', 'member', 'viewer')),
  constraint memberships_state_check check (state in ('active', 'removed'))
);

create index memberships_account_id_idx on memberships (account_id);
-- The members of an organization, its owners, and the organizations of an account, newest first.
create index memberships_active_idx on memberships (organization_id, account_id)
  where state = 'active';
create index memberships_owners_idx on memberships (organization_id)
  where role = 'owner' and state = 'active';
create index memberships_account_organization_idx on memberships (account_id, organization_id)
  where state = 'active';

create table projects (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  name            text not null,
  -- In a UTC month, in micro-units; null is none.
  spending_limit  bigint,
  archived_at     timestamptz,
  created_at      timestamptz not null default now(),
  constraint projects_name_check check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  constraint projects_spending_limit_check check (spending_limit >= 0)
);

-- The name of an archived project may be used again.
create unique index projects_organization_id_name_key
  on projects (organization_id, lower(name)) where archived_at is null;
create index projects_organization_id_idx on projects (organization_id, id);

-- `last_used_at` is in no index and pages are left a little free, so that noting a use is an update
-- within the page.
create table api_keys (
  id                  uuid primary key,
  project_id          uuid not null references projects (id),
  -- That of the project, so that the keys of an organization with many projects are listed in order
  -- by one index. A trigger fills it.
  organization_id     uuid not null references organizations (id),
  -- Null for a key that belongs to the organization as a whole and not to one of its members.
  created_by          uuid references accounts (id),
  name                text not null,
  -- SHA-256 of the whole key. The key itself is never stored.
  hash                bytea not null unique,
  prefix              text not null,
  last4               text not null,
  -- Null means all models of the plan.
  models              text[],
  requests_per_minute bigint,
  spending_limit      bigint,
  -- Limits that somebody else than the owner of the key set: the owner may only tighten them.
  held_limits         text[] not null default '{}',
  -- Parameters that requests of the key may have although nothing is done with them.
  ignored_parameters  text[] not null default '{}',
  -- The key that replaces this one, which ends by `expires_at`.
  replaced_by         uuid,
  -- Keys that replace each other count their limits together, under the id of the first one. Null
  -- for a key that never replaced another, so that the index holds replacements only.
  limits_id           uuid,
  created_at          timestamptz not null default now(),
  expires_at          timestamptz,
  revoked_at          timestamptz,
  revoked_by          uuid,
  revoke_reason       text,
  last_used_at        timestamptz,
  constraint api_keys_name_check check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  constraint api_keys_hash_check check (octet_length(hash) = 32),
  constraint api_keys_last4_check check (length(last4) = 4),
  constraint api_keys_models_check check (cardinality(models) between 1 and 1000),
  constraint api_keys_requests_per_minute_check
    check (requests_per_minute between 0 and 10000000000),
  constraint api_keys_spending_limit_check check (spending_limit >= 0),
  constraint api_keys_revoke_reason_check check (length(revoke_reason) between 1 and 200)
) with (fillfactor = 85);

create index api_keys_project_id_idx on api_keys (project_id, id);
create index api_keys_created_by_idx on api_keys (created_by) where created_by is not null;
create index api_keys_organization_id_idx on api_keys (organization_id, id);
create index api_keys_owner_idx on api_keys (organization_id, created_by, id)
  where created_by is not null;
-- For lists without revoked keys, and for a bounded count of them.
create index api_keys_not_revoked_idx on api_keys (organization_id, id) where revoked_at is null;
create index api_keys_organization_name_idx
  on api_keys (organization_id, lower(name) collate "C", id);
create index api_keys_last4_idx on api_keys (organization_id, last4, id);
create index api_keys_name_trgm_idx on api_keys using gin (lower(name) gin_trgm_ops);
create index api_keys_limits_id_idx on api_keys (limits_id) where limits_id is not null;

create function fill_api_key_organization() returns trigger language plpgsql as $$
begin
  if new.organization_id is null then
    select projects.organization_id into new.organization_id
    from projects where projects.id = new.project_id;
  end if;
  return new;
end
$$;

create trigger api_keys_organization before insert on api_keys
  for each row execute function fill_api_key_organization();

-- Raised versions of organizations that Valkey does not have yet.
create table announcements (
  organization_id uuid primary key,
  version         bigint not null,
  created_at      timestamptz not null default now()
);

create index announcements_created_at_idx on announcements (created_at);
