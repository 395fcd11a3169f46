-- Requests that did not complete, in the sums per hour and per day. Null: summed before this
-- column existed, so that an unknown count never looks like none. Adding it rewrites nothing.
alter table usage_hourly add column failed bigint;
alter table usage_daily add column failed bigint;
