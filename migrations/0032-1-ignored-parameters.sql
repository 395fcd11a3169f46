-- Parameters that requests of a key may have although nothing is done with them.
alter table api_keys add column ignored_parameters text[] not null default '{}';
