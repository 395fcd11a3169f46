-- Accounts and organizations that were deleted keep a row that names nobody, because usage, the
-- ledger and the audit log refer to its id for as long as they are kept.
alter table accounts add column deleted_at timestamptz;
alter table organizations add column deleted_at timestamptz;

create index accounts_deleted_at_idx on accounts (deleted_at) where deleted_at is not null;

-- What an address was invited to, also long ago.
create index invitations_any_email_idx on invitations (lower(email));

-- What somebody gave to others.
create index management_keys_created_by_idx on management_keys (created_by);
create index invitations_invited_by_idx on invitations (invited_by);

-- What one person did and what was done to them, in all organizations. On a log with millions of
-- events make both indexes before this step.
create index if not exists audit_events_by_actor_idx on audit_events (actor_id, id);
create index if not exists audit_events_about_idx on audit_events (target_id);

-- The log is append-only but for one thing: names and addresses of people who were deleted. What
-- happened, when, by and to which id stays as it was written.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  -- The worker moves rows that came before their month's partition out of the default partition,
  -- and then frees its file.
  if tg_op in ('DELETE', 'TRUNCATE')
      and current_setting('headrace.moving_partition', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE' and current_setting('headrace.forgetting_person', true) = 'on' then
    if to_jsonb(new) - '{actor_label,target_label,changes}'::text[]
        = to_jsonb(old) - '{actor_label,target_label,changes}'::text[]
      and new.changes <@ old.changes then
      return new;
    end if;
  end if;
  raise exception 'the audit log is append-only';
end
$$;

-- Replaces the addresses of an account that was deleted by a name that says nothing, and removes
-- its addresses and names from the changes of events about it. The console has no right to change
-- the log, so that this function is all that it can do to it.
create function forget_person(account uuid, known_as text, address text) returns void
  language plpgsql security definer set search_path from current as $$
declare
  addresses text[];
  invited text[];
begin
  if not exists (select from accounts where id = account and deleted_at is not null) then
    raise exception 'account % was not deleted', account;
  end if;
  addresses := array(
    select lower(address) union
    select distinct lower(actor_label) from audit_events
    where actor_id = account::text and actor_label <> known_as);
  invited := array(select id::text from invitations where lower(email) = any(addresses));
  perform set_config('headrace.forgetting_person', 'on', true);
  update audit_events set actor_label = known_as
  where actor_id = account::text and actor_label <> known_as;
  update audit_events set target_label = known_as,
    changes = changes - '{name,email,requested_email,network}'::text[]
  where target_id = any(invited || account::text)
    and (target_label <> known_as or changes ?| '{name,email,requested_email,network}');
  perform set_config('headrace.forgetting_person', '', true);
  update transfers set made_by = known_as where lower(made_by) = any(addresses);
  update engine_orders set ordered_by = known_as where lower(ordered_by) = any(addresses);
  delete from invitations where lower(email) = any(addresses);
  delete from sign_ups where lower(email) = any(addresses);
end
$$;

revoke all on function forget_person from public;
