-- Who made a request and how it was handled, for lists of requests and sums by member. Everything
-- is nullable: processes of the release before this one do not write it.
alter table usage_records
  -- The worst case that was reserved, in micro-units.
  add column reserved        bigint,
  add column account_id      uuid,
  -- The process that ran it.
  add column instance        uuid,
  -- Engines that were tried.
  add column attempts        smallint,
  add column credential_kind text,
  add column retention       text;

-- All records of a key in a row of sums have the same account: a key has one for its whole life.
-- The primary keys stay, because processes of the release before this one name their columns in
-- `on conflict`.
alter table usage_hourly add column account_id uuid;
alter table usage_daily add column account_id uuid;

-- Lists, newest first: of a member's requests, of those of a key that no member owns, and of those
-- that did not complete. Only partitions that are still written to get the indexes: building them
-- on the others would hold up posting for as long as it reads them. Partitions that are created
-- later get them too.
create index usage_records_owner_idx on only usage_records
  (organization_id, (coalesce(account_id, credential_id)), id);
create index usage_records_outcome_idx on only usage_records (organization_id, outcome, id)
  where outcome <> 'completed';

do $$
declare
  today constant text := 'usage_records_' || to_char(now() at time zone 'utc', 'YYYYMMDD');
  part record;
  made record;
begin
  for part in
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'usage_records'::regclass
      and (relname >= today or relname = 'usage_records_default')
  loop
    for made in
      select named, columns, condition from (values
        ('owner', 'organization_id, (coalesce(account_id, credential_id)), id', ''),
        ('outcome', 'organization_id, outcome, id', $w$where outcome <> 'completed'$w$)
      ) as given (named, columns, condition)
    loop
      execute format('create index %I on %I (%s) %s', part.name || '_' || made.named || '_idx',
        part.name, made.columns, made.condition);
      execute format('alter index %I attach partition %I',
        'usage_records_' || made.named || '_idx', part.name || '_' || made.named || '_idx');
    end loop;
  end loop;
end
$$;
