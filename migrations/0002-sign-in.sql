-- How people sign in: sign-ups, passwords, factors, sessions, and the identity providers of
-- organizations. What is called sealed is encrypted with the operator's key.

-- Sign-ups whose address was not confirmed yet. A sign-up has no password: whoever uses the link
-- chooses it, and the account is created then. Until then nothing tells the address from an unknown
-- one.
create table sign_ups (
  hash       bytea primary key,
  email      text not null,
  -- Links are counted by the network that asked for them, so that a stranger cannot use up the
  -- allowance of the owner of an address.
  network    text not null,
  created_at timestamptz not null default now(),
  ends_at    timestamptz not null,
  constraint sign_ups_hash_check check (octet_length(hash) = 32),
  constraint sign_ups_email_ascii_check check (email !~ '[^!-~]')
);

create index sign_ups_email_idx on sign_ups (lower(email), created_at);
create index sign_ups_ends_at_idx on sign_ups (ends_at);

-- Links that were sent by email, and those with which `headrace dev` signs its operator in. The
-- token is never stored.
create table mail_tokens (
  hash       bytea primary key,
  kind       text not null,
  account_id uuid not null references accounts (id),
  -- The new address, for a change of address.
  email      text,
  -- Null for a link that nobody asked for from outside: one that an operator makes.
  network    text,
  created_at timestamptz not null default now(),
  ends_at    timestamptz not null,
  used_at    timestamptz,
  constraint mail_tokens_kind_check check (kind in ('verify', 'reset', 'change', 'sign_in'))
);

create index mail_tokens_account_id_idx on mail_tokens (account_id);
create index mail_tokens_ends_at_idx on mail_tokens (ends_at);

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
  -- The session at the identity provider that this one came from: the connection, a colon, and the
  -- `sid` of the provider. The provider ends it by this name (back-channel logout).
  sso_sid        text,
  user_agent     text,
  address_prefix text,
  constraint sessions_token_hash_check check (octet_length(token_hash) = 32)
) with (fillfactor = 85);

create index sessions_account_id_idx on sessions (account_id, id);
create index sessions_ends_at_idx on sessions (ends_at);
create index sessions_sso_sid_idx on sessions (sso_sid) where sso_sid is not null;

-- Whether an account has ever signed in: the first device of a person is not news to them, and
-- every other one is. A row is written once and never changed.
create table first_sign_ins (
  account_id uuid primary key references accounts (id),
  at         timestamptz not null default now()
);

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

-- A verified domain is looked up again every day, and lost if its record stays away.
create table sso_domains (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  domain          text not null,
  -- What the DNS TXT record must contain.
  challenge       text not null,
  created_at      timestamptz not null default now(),
  verified_at     timestamptz,
  checked_at      timestamptz not null default now(),
  -- How many look-ups in a row found no record.
  misses          smallint not null default 0,
  unique (organization_id, domain)
);

create unique index sso_domains_verified_key on sso_domains (domain) where verified_at is not null;
create index sso_domains_checked_at_idx on sso_domains (checked_at) where verified_at is not null;

create table sso_identities (
  connection_id uuid not null references sso_connections (id) on delete cascade,
  subject       text not null,
  account_id    uuid not null references accounts (id),
  created_at    timestamptz not null default now(),
  primary key (connection_id, subject)
);

create index sso_identities_account_id_idx on sso_identities (account_id);
