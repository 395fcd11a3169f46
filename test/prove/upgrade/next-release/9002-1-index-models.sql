-- Takes over the indexes of the partitions, which were made by hand before. Without them it would
-- block writes for as long as it reads the table.
create index if not exists usage_records_model_idx on usage_records (organization_id, model, id);
