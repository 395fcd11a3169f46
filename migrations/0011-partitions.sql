-- How partitions by time are made and dropped. Only the owner of the tables may do that, so each
-- function that has the rights of the owner checks its arguments.

-- The end of the partition of this table that begins on this day.
create function partition_end(parent text, first_day date) returns date
  language plpgsql immutable strict as $$
begin
  -- Names of partitions have four digits for the year.
  if first_day between date '1970-01-01' and date '9999-12-01' then
    if parent in ('usage_records', 'retained_standard', 'retained_contributor', 'usage_hourly') then
      return first_day + 1;
    end if;
    if parent in ('usage_daily', 'usage_transfers', 'audit_events')
        and extract(day from first_day) = 1 then
      return first_day + interval '1 month';
    end if;
  end if;
  raise exception 'no partition of % begins on %', quote_ident(parent), first_day
    using errcode = 'invalid_parameter_value';
end
$$;

-- A role that does not own the tables deletes only what is over, and so not the usage of today.
create function check_over(before date) returns void language plpgsql stable strict as $$
begin
  if before > (now() at time zone 'utc')::date
      and not pg_has_role(session_user, current_user, 'usage') then
    raise exception '% is not over', before using errcode = 'insufficient_privilege';
  end if;
end
$$;

-- Creates a table and attaches it, with its rows of the default partition: readers always see them
-- in exactly one of the two. `create table … partition of` would wait for every statement that uses
-- the parent table, and block all later ones; only rows to move are worth that. The trigger of the
-- audit log reads a setting.
create function create_partition(parent text, first_day date) returns void
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

-- Drops a partition that ends by the given day, and notes from when on the table is complete.
-- Balances stay the sum of their transfers: the sum of deleted ones is carried forward. Returns
-- whether there was such a partition; another worker may have dropped it.
create function drop_partition(parent text, part text, keep_from date) returns boolean
  language plpgsql strict security definer set lock_timeout = '1s' as $$
declare
  day date;
  ends date;
begin
  if parent = 'audit_events' then
    raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
  end if;
  if right(part, 8) ~ '^[0-9]{8}$' then
    day := to_date(right(part, 8), 'YYYYMMDD');
  end if;
  if part is distinct from parent || to_char(day, '_YYYYMMDD') then
    raise exception '% is no partition of %', quote_ident(part), quote_ident(parent)
      using errcode = 'invalid_parameter_value';
  end if;
  ends := partition_end(parent, day);
  if ends > keep_from then
    raise exception '% ends after %', part, keep_from using errcode = 'invalid_parameter_value';
  end if;
  perform check_over(keep_from);
  begin
    -- Only one worker gets this lock. It blocks writes to the partition, but no reads.
    execute format('lock table %I in share row exclusive mode', part);
  exception when undefined_table then
    return false;
  end;
  if not exists (select from pg_inherits
      where inhrelid = part::regclass and inhparent = parent::regclass) then
    raise exception '% is no partition of %', part, parent
      using errcode = 'invalid_parameter_value';
  end if;
  if parent like 'usage\_%' then
    insert into kept_from (table_name, day) values (parent, keep_from)
    on conflict (table_name) do update set day = greatest(kept_from.day, excluded.day);
  end if;
  if parent = 'usage_transfers' then
    execute format('
      insert into usage_transfers (hour, debit_account, credit_account, kind, amount)
      select $1, debit_account, credit_account, %L, sum(amount) from %I
      group by debit_account, credit_account
      on conflict (hour, debit_account, credit_account, kind)
      do update set amount = usage_transfers.amount + excluded.amount', 'opening', part)
    using keep_from::timestamp at time zone 'utc';
  end if;
  execute format('drop table %I', part);
  return true;
end
$$;

-- Deletes content of days before this one that no partition was made for. Returns how many rows
-- there were, at most a batch.
create function delete_stray_content(parent text, before date) returns integer
  language plpgsql strict security definer as $$
declare
  deleted integer;
begin
  if parent not in ('retained_standard', 'retained_contributor') then
    raise exception '% keeps no content', quote_ident(parent)
      using errcode = 'invalid_parameter_value';
  end if;
  perform check_over(before);
  execute format('delete from %1$I where ctid = any(array(
      select ctid from %1$I where kept_on < $1 limit 10000))', parent || '_default') using before;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- Names in these functions mean what they mean here, whatever the caller's search_path is.
-- Temporary tables come last: otherwise a caller's table `kept_from` would hide the real one.
do $$
declare
  name regproc;
begin
  foreach name in array '{create_partition, drop_partition, delete_stray_content,
      partition_end, check_over}'::regproc[] loop
    execute format('alter function %s set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke all on function %s from public', name);
  end loop;
end
$$;
