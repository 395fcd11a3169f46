-- Settles a request whose process is gone, unless a changed lease or count shows that the process
-- is alive. The request is not added to the set of settled ones, so that a process that was only
-- disconnected can still settle it: its record then replaces this one, here and in PostgreSQL.
-- A request that was settled, and is open again because a failover lost its end, is only released.
-- apply-costs.lua is prepended.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 leases   hash by process
--       4 usage    stream of the partition: usage records that are not yet posted
--       5 funds    hash: see limits.lua
--       6 hour     hash: sums of settled requests that were made in the hour
--       7 key:     prefix, followed by the id of an API key's limits: see limits.lua
--       8 running  hash: see limits.lua
--       9 …        sets of recently settled requests: see settle.lua
-- ARGV  1 id, 2 its process, 3 the lease and 4 the counts seen when closing was decided, or empty
--       if there were none, 5 its project, 6 the amount it reserved, 7 its record as JSON, or empty
--       if it is only released, 8 when it was made (ms), 9 its cost, and its 10 prompt,
--       11 cached, 12 completion and 13 reasoning tokens, and 14 the id of its API key's limits
--       or empty if that has no spending limit, 15 its organization, 16 the credential and
--       17 the model that it counts as running under, or empty
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
stop_running(ARGV[15], ARGV[16], ARGV[17])

-- PostgreSQL replaces a lost record only by one with more tokens.
local lost = lost_before(KEYS[6], ARGV[1])
local counts = ARGV[7] ~= '' and not (lost and lost.completion >= tonumber(ARGV[12]))
for i = 9, #KEYS do
  counts = counts and redis.call('SISMEMBER', KEYS[i], ARGV[1]) == 0
end

if counts then
  redis.call('XADD', KEYS[4], '*', 'record', ARGV[7])
  if lost then
    take_back(KEYS[6], ARGV[1], ARGV[5], ARGV[14], lost)
  end
  add_to_hour(KEYS[6], 9)
  redis.call('HSET', KEYS[6], 'lost:' .. ARGV[1], table.concat(ARGV, ',', 8, 13))
end
local used = counts and tonumber(ARGV[9]) or 0
add_cost(ARGV[5], ARGV[14], tonumber(ARGV[6]), used, tonumber(ARGV[8]))
write_hours()
write_funds(KEYS[5])
write_keys(KEYS[7])
write_running(KEYS[8])
return 1
