-- Whether the caller might act on their own things only. An answer about the thing of somebody else
-- is not repeated for a caller who has become such a one.
alter table idempotency_keys add column own boolean not null default false;
