-- Keys by their last four characters. On a table with millions of keys make the index concurrently
-- before this step.
create index if not exists api_keys_last4_idx on api_keys (organization_id, last4, id);
