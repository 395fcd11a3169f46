-- Reads both tables while others read and write them.
do $$
declare
  bound record;
begin
  for bound in
    select conname, conrelid::regclass as of from pg_constraint
    where conrelid in ('usage_hourly'::regclass, 'usage_daily'::regclass) and contype = 'c'
      and not convalidated
  loop
    execute format('alter table %s validate constraint %I', bound.of, bound.conname);
  end loop;
end
$$;
