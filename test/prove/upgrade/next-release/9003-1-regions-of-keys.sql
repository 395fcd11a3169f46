-- Every admission reads this table. A constant default rewrites nothing.
alter table api_keys add column regions text[] not null default '{}';
