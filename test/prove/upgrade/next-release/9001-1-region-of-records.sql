-- Where a request ran. A nullable column rewrites nothing, and a check that is not valid reads
-- nothing. A new word joins the check of outcomes.
alter table usage_records
  add column region text,
  add constraint usage_records_region_check check (length(region) between 1 and 64) not valid,
  drop constraint usage_records_outcome_check,
  add constraint usage_records_outcome_check
    check (outcome in ('completed', 'failed', 'abandoned', 'lost', 'moved')) not valid;
