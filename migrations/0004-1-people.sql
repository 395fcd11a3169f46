-- People: how they sign in and join organizations, and what keys may do. Everything is an addition:
-- processes of the release before this one keep working.

alter table accounts
  add column name              text,
  add column email_verified_at timestamptz,
  -- What the account may do for the whole service; null for everyone who only uses it.
  add column platform_role     text,
  add column terms_version     text,
  add column terms_accepted_at timestamptz,
  add constraint accounts_name_check check (length(name) between 1 and 100
                                            and name !~ '[[:cntrl:]]') not valid,
  add constraint accounts_platform_role_check check (platform_role in ('support', 'operator'))
    not valid;

-- For searches by the beginning of an address, and for the waiting list.
create index if not exists accounts_email_prefix_idx on accounts (lower(email) text_pattern_ops);
create index if not exists accounts_waiting_idx on accounts (id) where state = 'waiting';

alter table memberships drop constraint memberships_role_check;
alter table memberships add constraint memberships_role_check
  check (role in ('owner', 'admin', 'member', 'viewer')) not valid;
create index if not exists memberships_owners_idx on memberships (organization_id)
  where role = 'owner' and state = 'active';

alter table organizations
  -- Members must sign in with the organization's identity provider, or with a second factor.
  add column sso_only               boolean not null default false,
  add column second_factor_required boolean not null default false;
create index if not exists organizations_name_idx on organizations (lower(name) text_pattern_ops);
create index if not exists organizations_slug_prefix_idx on organizations (slug text_pattern_ops);

-- The organization is copied from the project, so that the keys of one with many projects are
-- listed in order by one index. `models`: null means all of the plan. A replaced key ends by
-- `expires_at`.
alter table api_keys
  add column organization_id     uuid references organizations (id),
  add column models              text[],
  add column requests_per_minute bigint,
  add column spending_limit      bigint,
  add column replaced_by         uuid,
  add column revoked_by          uuid,
  add column revoke_reason       text,
  add constraint api_keys_models_check check (cardinality(models) between 1 and 1000) not valid,
  add constraint api_keys_requests_per_minute_check
    check (requests_per_minute between 0 and 10000000000) not valid,
  add constraint api_keys_spending_limit_check check (spending_limit >= 0) not valid,
  add constraint api_keys_revoke_reason_check check (length(revoke_reason) between 1 and 200)
    not valid;

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

create table passwords (
  account_id uuid primary key references accounts (id),
  -- Argon2id as a PHC string.
  phc        text not null,
  changed_at timestamptz not null default now()
);

create table passkeys (
  credential_id text primary key,
  account_id    uuid not null references accounts (id),
  public_key    bytea not null,
  counter       bigint not null,
  backed_up     boolean not null,
  transports    text[] not null default '{}',
  name          text not null,
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz,
  constraint passkeys_name_check check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]')
);

create index passkeys_account_id_idx on passkeys (account_id);

-- Codes of an authenticator app (TOTP). The secret is sealed.
create table one_time_factors (
  account_id   uuid primary key references accounts (id),
  sealed       bytea not null,
  -- The time step of the last code that was used: a code works once.
  last_step    bigint not null default 0,
  -- Null until the first code was entered.
  confirmed_at timestamptz,
  created_at   timestamptz not null default now()
);

create table recovery_codes (
  account_id uuid not null references accounts (id),
  hash       bytea not null,
  created_at timestamptz not null default now(),
  used_at    timestamptz,
  primary key (account_id, hash)
);

-- A session that ended is deleted.
create table sessions (
  id             uuid primary key,
  -- SHA-256 of the cookie's value, which is never stored.
  token_hash     bytea not null unique,
  account_id     uuid not null references accounts (id),
  created_at     timestamptz not null default now(),
  -- To the minute, so that most calls write nothing.
  seen_at        timestamptz not null default now(),
  ends_at        timestamptz not null,
  idle_minutes   integer not null,
  -- When the person last proved who they are.
  confirmed_at   timestamptz not null default now(),
  -- How the person signed in: password, passkey, totp, recovery_code, sso:<connection>, link.
  methods        text[] not null,
  -- True until the second factor was given: such a session can do nothing else.
  incomplete     boolean not null default false,
  user_agent     text,
  address_prefix text,
  constraint sessions_token_hash_check check (octet_length(token_hash) = 32)
) with (fillfactor = 85);

create index sessions_account_id_idx on sessions (account_id, id);
create index sessions_ends_at_idx on sessions (ends_at);

-- Links that were sent by e-mail. The token is never stored.
create table mail_tokens (
  hash       bytea primary key,
  kind       text not null,
  account_id uuid not null references accounts (id),
  -- The new address, for a change of address.
  email      text,
  created_at timestamptz not null default now(),
  ends_at    timestamptz not null,
  used_at    timestamptz,
  constraint mail_tokens_kind_check check (kind in ('verify', 'reset', 'change'))
);

create index mail_tokens_account_id_idx on mail_tokens (account_id);
create index mail_tokens_ends_at_idx on mail_tokens (ends_at);

create table invitations (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  email           text not null,
  role            text not null,
  token_hash      bytea not null unique,
  invited_by      uuid references accounts (id),
  created_at      timestamptz not null default now(),
  ends_at         timestamptz not null,
  accepted_at     timestamptz,
  withdrawn_at    timestamptz,
  constraint invitations_role_check check (role in ('owner', 'admin', 'member', 'viewer')),
  constraint invitations_email_check
    check (email ~ '^[^@[:cntrl:][:space:]]+@[^@[:cntrl:][:space:]]+$' and length(email) <= 320)
);

create index invitations_organization_id_idx on invitations (organization_id, id)
  where accepted_at is null and withdrawn_at is null;
create unique index invitations_email_key on invitations (organization_id, lower(email))
  where accepted_at is null and withdrawn_at is null;

-- What a ceremony of several steps must remember: a passkey's challenge, a sign-in with an
-- identity provider. Deleted when it is used.
create table challenges (
  hash       bytea primary key,
  kind       text not null,
  account_id uuid references accounts (id),
  -- Sealed.
  data       bytea not null,
  ends_at    timestamptz not null
);

create index challenges_ends_at_idx on challenges (ends_at);
