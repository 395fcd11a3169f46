#!lua flags=allow-oom
-- The first lines of the scripts that end requests: they may run beyond the server's memory limit,
-- because usage must be recorded. Admissions may not, which stops further growth.
