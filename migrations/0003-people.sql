-- What people and programs do in organizations: management keys, invitations, provisioning (SCIM),
-- support access, links to requests, and repeated calls.

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
-- PostgreSQL does not use the order of (organization_id, id) for "organization_id is null".
create index management_keys_platform_idx on management_keys (id) where organization_id is null;
create index management_keys_created_by_idx on management_keys (created_by);

create table invitations (
  id                uuid primary key,
  organization_id   uuid not null references organizations (id),
  email             text not null,
  role              text not null,
  token_hash        bytea not null unique,
  invited_by        uuid references accounts (id),
  -- An invitation that a management key made ends with the key and with the rights of its creator.
  management_key_id uuid references management_keys (id),
  -- Whether an operator, who is no member, invited an owner into an organization that had none.
  -- Such an invitation depends on the platform role of the inviter, not on a role in the
  -- organization.
  by_operator       boolean not null default false,
  -- Whether the link was sent to the invited address and shown to nobody else: then whoever has it
  -- reads the mail of that address. A link that the inviter passed on proves nothing.
  emailed           boolean not null default false,
  created_at        timestamptz not null default now(),
  ends_at           timestamptz not null,
  accepted_at       timestamptz,
  withdrawn_at      timestamptz,
  constraint invitations_email_check
    check (email ~ '^[^@[:cntrl:][:space:]]+@[^@[:cntrl:][:space:]]+$' and length(email) <= 320),
  constraint invitations_email_ascii_check check (email !~ '[^!-~]'),
  constraint invitations_role_check check (role in ('owner', 'admin', 'member', 'viewer'))
);

create index invitations_organization_id_idx on invitations (organization_id, id)
  where accepted_at is null and withdrawn_at is null;
create unique index invitations_email_key on invitations (organization_id, lower(email))
  where accepted_at is null and withdrawn_at is null;
-- Where sign-up is closed, an address needs an invitation.
create index invitations_lower_email_idx on invitations (lower(email))
  where accepted_at is null and withdrawn_at is null;
-- For people who are deleted: what they were invited to, also long ago, and whom they invited.
create index invitations_any_email_idx on invitations (lower(email));
create index invitations_invited_by_idx on invitations (invited_by);
create index invitations_by_operator_idx on invitations (organization_id) where by_operator;

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

-- Provisioning of people by an identity provider (SCIM 2.0, RFC 7643 and 7644). A token belongs to
-- its organization: it works on when the owner who made it leaves, because it may be the one who
-- tells us so.
create table scim_tokens (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  name            text not null,
  -- SHA-256; the token itself is never stored.
  hash            bytea not null unique,
  prefix          text not null,
  last4           text not null,
  created_by      uuid not null references accounts (id),
  created_at      timestamptz not null default now(),
  revoked_at      timestamptz,
  last_used_at    timestamptz,
  constraint scim_tokens_name_check check (length(name) between 1 and 100
                                           and name !~ '[[:cntrl:]]'),
  constraint scim_tokens_hash_check check (octet_length(hash) = 32)
);

create index scim_tokens_organization_id_idx on scim_tokens (organization_id, id);

-- What a provider says about a member. Whether they are active is in their membership.
create table scim_users (
  organization_id uuid not null references organizations (id),
  account_id      uuid not null references accounts (id),
  user_name       text not null,
  external_id     text,
  display_name    text,
  given_name      text,
  family_name     text,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, account_id)
);

create unique index scim_users_user_name_key on scim_users (organization_id, lower(user_name));
create index scim_users_external_id_idx on scim_users (organization_id, external_id);
-- For what is deleted with an account.
create index scim_users_account_id_idx on scim_users (account_id);

create table scim_groups (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  display_name    text not null,
  external_id     text,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now()
);

create index scim_groups_organization_id_idx on scim_groups (organization_id, id);

create table scim_group_members (
  group_id   uuid not null references scim_groups (id) on delete cascade,
  account_id uuid not null references accounts (id),
  primary key (group_id, account_id)
);

create index scim_group_members_account_id_idx on scim_group_members (account_id);

-- Which role the members of a group get, by the name of the group in lower case.
create table scim_roles (
  organization_id uuid not null references organizations (id),
  group_name      text not null,
  role            text not null,
  primary key (organization_id, group_name),
  constraint scim_roles_role_check check (role in ('owner', 'admin', 'member', 'viewer'))
);

-- Links to the explanation of one request, which whoever has one opens without signing in. Of the
-- link only a hash is stored. A link that is withdrawn is deleted.
create table request_links (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  request_id      uuid not null,
  token_hash      bytea not null unique,
  created_by      uuid not null references accounts (id),
  created_at      timestamptz not null default now(),
  ends_at         timestamptz not null
);

create index request_links_organization_id_idx on request_links (organization_id, id);
create index request_links_created_by_idx on request_links (created_by);

-- The answer to a POST with an Idempotency-Key, for a day.
create table idempotency_keys (
  actor      text not null,
  key        text not null,
  route      text not null,
  body_hash  bytea not null,
  -- Whether the caller might act on their own things only. An answer about the thing of somebody
  -- else is not repeated for a caller who has become such a one.
  own        boolean not null default false,
  -- Null while the first request runs.
  status     smallint,
  answer     jsonb,
  created_at timestamptz not null default now(),
  primary key (actor, key)
);

create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
