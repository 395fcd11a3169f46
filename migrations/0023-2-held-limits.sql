-- Limits of a key that somebody else than its owner set: its owner may only tighten them.
alter table api_keys add column held_limits text[] not null default '{}';
