-- Nobody knows who started a payment that was found at the provider after a restore.
alter table payments alter column started_by drop not null;
