-- The roll-ups become partitioned: sums per hour by day, sums per day by month. The constraints
-- prove that the old tables fit their partitions, so nothing is read. The keys stay as they are,
-- because processes of the release before this one name their columns in `on conflict`.
lock table usage_hourly, usage_daily in access exclusive mode;

alter index usage_daily_project_id_idx rename to usage_daily_until_project_id_idx;

do $$
declare
  rolled record;
begin
  for rolled in
    select parent, "column", conname as until,
      to_char(to_date(right(conname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') || ' 00:00+00' as day
    from (values ('usage_hourly', 'hour'), ('usage_daily', 'day')) as given (parent, "column")
    join pg_constraint on conrelid = parent::regclass and contype = 'c'
  loop
    execute format('alter table %1$I rename constraint %2$I to %3$I', rolled.parent,
      rolled.parent || '_pkey', rolled.parent || '_until_pkey');
    execute format('alter table %1$I rename to %2$I', rolled.parent, rolled.until);
    execute format('create table %1$I (like %2$I,
        primary key (organization_id, %3$I, project_id, credential_id, model)
      ) partition by range (%3$I)', rolled.parent, rolled.until, rolled.column);
    execute format('alter table %1$I attach partition %2$I for values from (minvalue) to (%3$L)',
      rolled.parent, rolled.until, rolled.day);
    -- The partition says the same from now on.
    execute format('alter table %1$I drop constraint %1$I', rolled.until);
    -- Catches what no partition was made for, so that a late worker loses nothing.
    execute format('create table %1$I partition of %2$I default', rolled.parent || '_default',
      rolled.parent);
  end loop;
end
$$;

create index usage_daily_project_id_idx on usage_daily (project_id, day);
