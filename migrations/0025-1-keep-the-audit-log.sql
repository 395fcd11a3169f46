-- A whole table can be emptied without touching a row, so the triggers of rows do not see it. The
-- trigger of the parent is not asked for one partition alone: each has its own.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  -- The worker moves rows that came before their month's partition out of the default partition,
  -- and then frees its file.
  if tg_op in ('DELETE', 'TRUNCATE')
      and current_setting('headrace.moving_partition', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit log is append-only';
end
$$;

do $$
declare
  part regclass;
begin
  for part in select relid from pg_partition_tree('audit_events') loop
    execute format('create trigger audit_events_never_emptied before truncate on %s
      for each statement execute function refuse_audit_change()', part);
  end loop;
end
$$;
