-- What all accounts of the ledger summed to when the worker last added them up. Operators see it
-- without reading every account.
alter table books
  add column sum       bigint,
  add column summed_at timestamptz;
