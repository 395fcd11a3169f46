-- Provisioning of people by an identity provider (SCIM 2.0, RFC 7643 and 7644).

-- A token belongs to its organization: it works on when the owner who made it leaves, because it
-- may be the one who tells us so.
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
  constraint scim_tokens_hash_check check (octet_length(hash) = 32),
  constraint scim_tokens_name_check check (length(name) between 1 and 100
                                           and name !~ '[[:cntrl:]]')
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
