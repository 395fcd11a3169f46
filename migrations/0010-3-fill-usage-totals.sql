-- Adds what was used before the triggers existed, of this month and the one before. Both tables are
-- read at one moment, and only the difference is added, so posting goes on meanwhile.
insert into usage_totals as known
select used.organization_id, used.day, used.project_id,
  used.requests - coalesce(total.requests, 0),
  used.prompt_tokens - coalesce(total.prompt_tokens, 0),
  used.cached_tokens - coalesce(total.cached_tokens, 0),
  used.completion_tokens - coalesce(total.completion_tokens, 0),
  used.reasoning_tokens - coalesce(total.reasoning_tokens, 0),
  used.cost - coalesce(total.cost, 0)
from (
  select organization_id, day, project_id,
    sum(requests) as requests,
    sum(prompt_tokens) as prompt_tokens,
    sum(cached_tokens) as cached_tokens,
    sum(completion_tokens) as completion_tokens,
    sum(reasoning_tokens) as reasoning_tokens,
    sum(cost) as cost
  from usage_daily
  where day >= date_trunc('month', (now() at time zone 'utc') - interval '1 month')::date
  group by organization_id, day, project_id
) as used
left join usage_totals as total using (organization_id, day, project_id)
order by used.organization_id, used.day, used.project_id
on conflict (organization_id, day, project_id) do update set
  requests = known.requests + excluded.requests,
  prompt_tokens = known.prompt_tokens + excluded.prompt_tokens,
  cached_tokens = known.cached_tokens + excluded.cached_tokens,
  completion_tokens = known.completion_tokens + excluded.completion_tokens,
  reasoning_tokens = known.reasoning_tokens + excluded.reasoning_tokens,
  cost = known.cost + excluded.cost;
