-- A verified domain is looked up again every day, and lost if its record stays away.
alter table sso_domains
  add column checked_at timestamptz not null default now(),
  -- How many look-ups in a row found no record.
  add column misses smallint not null default 0;

create index sso_domains_checked_at_idx on sso_domains (checked_at) where verified_at is not null;
