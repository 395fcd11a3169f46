-- A read that had begun while rows of the default partition moved to their own one missed them.

-- Creates a table and attaches it, with its rows of the default partition: readers always see them
-- in exactly one of the two. `create table … partition of` would wait for every statement that uses
-- the parent table, and block all later ones; only rows to move are worth that. The trigger of the
-- audit log reads a setting.
create or replace function create_partition(parent text, first_day date) returns void
  language plpgsql strict security definer
  set lock_timeout = '1s' as $$
declare
  first constant text := first_day || ' 00:00+00';
  last constant text := partition_end(parent, first_day) || ' 00:00+00';
  part constant text := parent || to_char(first_day, '_YYYYMMDD');
  spare constant text := parent || '_default';
  time_column text;
  has_rows boolean;
  left_over boolean;
begin
  select attname into strict time_column from pg_partitioned_table
  join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
  where partrelid = parent::regclass;
  -- Inserts must wait here, before they choose a partition: one that chose the default partition
  -- and waits for its lock fails with a check violation once the new partition is attached.
  execute format('lock table only %I in share row exclusive mode', parent);
  execute format('select exists (select from %I where %I >= %L and %I < %L)',
    spare, time_column, first, time_column, last) into has_rows;
  -- A statement that has the list of partitions already, and waits for the lock of the default one,
  -- would find the rows in neither of the two.
  if has_rows then
    execute format('lock table only %I in access exclusive mode', parent);
  end if;
  -- Attaching takes this lock anyway. Taken first, nothing is written between move and attach.
  execute format('lock table %I in access exclusive mode', spare);
  execute format('create table %I (like %I including all)', part, parent);
  -- Not with the settings of the function: only a superuser may name one there that PostgreSQL
  -- does not know.
  perform set_config('headrace.moving_partition', 'on', true);
  execute format('with moved as (
      delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *
    ) insert into %5$I select * from moved', spare, time_column, first, last, part);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)',
    parent, part, first, last);
  -- Triggers of rows are those of the parent table; this one is each partition's own.
  if parent = 'audit_events' then
    execute format('create trigger audit_events_never_emptied before truncate on %I
      for each statement execute function refuse_audit_change()', part);
  end if;
  -- Moved rows stay in the file until they are overwritten; truncating deletes the file.
  if has_rows then
    execute format('select exists (select from %I)', spare) into left_over;
    if not left_over then
      execute format('truncate %I', spare);
    end if;
  end if;
  perform set_config('headrace.moving_partition', 'off', true);
end
$$;

-- Replacing a function ends its settings. Rights stay.
do $$
begin
  execute format('alter function create_partition set search_path = %I, pg_temp', current_schema());
end
$$;
