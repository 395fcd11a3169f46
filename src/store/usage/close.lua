-- Settles a request whose process is gone, unless a changed lease or count shows that the process
-- is alive. The request is not added to the set of settled ones, so that a process that was only
-- disconnected can still settle it: its record then replaces this one in PostgreSQL.
-- apply-costs.lua is prepended.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 leases   hash by process
--       4 usage    stream of the partition: usage records that are not yet posted
--       5 funds    hash: see limits.lua
--       6 hour     hash: sums of settled requests that were made in the hour
-- ARGV  1 id, 2 its process, 3 the lease and 4 the counts seen when closing was decided, or empty
--       if there were none, 5 its project, 6 the amount it reserved, 7 its record as JSON, or empty
--       if it is only released, 8 the month it was made in (YYYYMM), 9 its cost, and its 10 prompt,
--       11 cached, 12 completion and 13 reasoning tokens
-- Returns 1, or 0 if it is no longer open, or its lease or counts have changed.

if (redis.call('HGET', KEYS[3], ARGV[2]) or '') ~= ARGV[3] then
  return 0
end
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[4] then
  return 0
end
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])

if ARGV[7] ~= '' then
  redis.call('XADD', KEYS[4], '*', 'record', ARGV[7])
  add_to_hour(KEYS[6], 9)
end
add_cost(ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[9]), tonumber(ARGV[8]))
write_hours()
write_funds(KEYS[5])
return 1
