-- Reads the whole table, but blocks neither reads nor writes.
alter table usage_totals validate constraint usage_totals_until_check;
