-- The primary key keeps its columns, because processes of the release before this one name them in
-- `on conflict`.
alter table usage_totals rename to usage_totals_until_22000101;
alter table usage_totals_until_22000101
  rename constraint usage_totals_pkey to usage_totals_until_22000101_pkey;
alter index usage_totals_project_id_idx rename to usage_totals_until_22000101_project_id_idx;

create table usage_totals (
  like usage_totals_until_22000101 including defaults,
  primary key (organization_id, day, project_id)
) partition by range (day);
create index usage_totals_project_id_idx on usage_totals (project_id, day);

alter table usage_totals attach partition usage_totals_until_22000101
  for values from (minvalue) to ('2200-01-01');
create table usage_totals_default partition of usage_totals default;
-- The bound of the partition says the same from now on.
alter table usage_totals_until_22000101 drop constraint usage_totals_until_check;
