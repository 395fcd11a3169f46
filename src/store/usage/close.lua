-- Ends a request whose process is gone, as it would have been settled, unless
-- anything shows that the process lives after all. It is not put among those settled of late, so
-- that a process that was only cut off can still settle it: the ledger takes that word instead.
-- apply-costs.lua stands before it.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 leases   hash by process
--       4 usage    stream of the partition: what is not yet in the ledger
--       5 funds    hash: see limits.lua
--       6 hour     hash: what was settled of requests made in the hour
-- ARGV  1 id, 2 its process, 3 the lease and 4 the counts that its closing is based on, or nothing
--       where there were none, 5 its project, 6 what it reserved, 7 its record as JSON, or nothing
--       if it is only released, 8 the month of its making (YYYYMM), 9 its cost, and its 10 prompt,
--       11 cached, 12 completion and 13 reasoning tokens
-- Returns 1, or 0 if it is not open any more, or its lease or counts have changed.

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
  count(KEYS[6], 9)
end
book(ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[9]), tonumber(ARGV[8]))
write_hours()
write_funds(KEYS[5])
return 1
