/** A day that was compared: how many days ago, and by how much it differs, in micro-units. */
export const DAY_QUERY = `
  insert into provider_days
  select (now() at time zone 'utc')::date - $1::int, 10000000, 10000000 - $2::bigint, 0, 0, 0, 0,
    590000, 590000, '{}', ($2 > 0)::int, 0, 0, 0, $2, '[]', $2 > 0, now(),
    now() + interval '30 days'`

/** What has no other side on the days that differ, as JSON. */
export const ITEMS_QUERY = 'update provider_days set items = $1 where difference > 0'
