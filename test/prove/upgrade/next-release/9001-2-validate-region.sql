-- Reads the whole table, but blocks neither reads nor writes.
alter table usage_records validate constraint usage_records_region_check;
alter table usage_records validate constraint usage_records_outcome_check;
