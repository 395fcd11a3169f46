-- The language of the console and of emails that a person has chosen; null is none yet. Which ones
-- there are is a matter of the release: another one is not a migration.
alter table accounts add column language text check (length(language) <= 35);
