-- What each project used on each day, whatever the number of its keys and models: pages that show a
-- month read at most one row for each day and project. Triggers add it up in the transaction that
-- posts usage, so that processes of the release before this one do so too.
create table usage_totals (
  organization_id   uuid not null,
  day               date not null,
  project_id        uuid not null,
  requests          bigint not null,
  prompt_tokens     bigint not null,
  cached_tokens     bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens  bigint not null,
  cost              bigint not null,
  primary key (organization_id, day, project_id)
);

create index usage_totals_project_id_idx on usage_totals (project_id, day);

create function add_usage_totals() returns trigger language plpgsql as $$
begin
  insert into usage_totals as total
  select organization_id, day, project_id, sum(requests), sum(prompt_tokens), sum(cached_tokens),
    sum(completion_tokens), sum(reasoning_tokens), sum(cost)
  from added group by organization_id, day, project_id order by organization_id, day, project_id
  on conflict (organization_id, day, project_id) do update set
    requests = total.requests + excluded.requests,
    prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = total.cached_tokens + excluded.cached_tokens,
    completion_tokens = total.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = total.reasoning_tokens + excluded.reasoning_tokens,
    cost = total.cost + excluded.cost;
  return null;
end
$$;

create function change_usage_totals() returns trigger language plpgsql as $$
begin
  insert into usage_totals as total
  select organization_id, day, project_id, sum(sign * requests), sum(sign * prompt_tokens),
    sum(sign * cached_tokens), sum(sign * completion_tokens), sum(sign * reasoning_tokens),
    sum(sign * cost)
  from (select 1 as sign, added.* from added union all select -1, removed.* from removed) as both_
  group by organization_id, day, project_id order by organization_id, day, project_id
  on conflict (organization_id, day, project_id) do update set
    requests = total.requests + excluded.requests,
    prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
    cached_tokens = total.cached_tokens + excluded.cached_tokens,
    completion_tokens = total.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = total.reasoning_tokens + excluded.reasoning_tokens,
    cost = total.cost + excluded.cost;
  return null;
end
$$;

create trigger usage_daily_added after insert on usage_daily
  referencing new table as added
  for each statement execute function add_usage_totals();

create trigger usage_daily_changed after update on usage_daily
  referencing old table as removed new table as added
  for each statement execute function change_usage_totals();
