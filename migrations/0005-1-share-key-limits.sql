-- Keys that replace each other count their limits together, under the id of the first one. Null for
-- a key that never replaced another, so no row is rewritten and the index holds replacements only.
alter table api_keys add column limits_id uuid;

create index if not exists api_keys_limits_id_idx on api_keys (limits_id)
  where limits_id is not null;
