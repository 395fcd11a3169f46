-- Reopens a request whose record was lost with a server, reserves its amount and counts it as
-- running again.
--
-- KEYS  1 open, 2 progress: hashes of the partition, by request id
--       3 funds    hash: see limits.lua
--       4 key:     prefix, followed by the id of an API key's limits: see limits.lua
--       5 running  hash: see limits.lua
--       6 …        sets of recently settled requests: see settle.lua
-- ARGV  1 id, 2 record, 3 counts, 4 project, 5 the amount it reserves, 6 the id of its API key's
--       limits or empty if that has no spending limit, 7 its organization, 8 the credential and
--       9 the model that it counts as running under, or empty
-- Returns 1, or 0 if it is already open or was settled.

for i = 6, #KEYS do
  if redis.call('SISMEMBER', KEYS[i], ARGV[1]) == 1 then
    return 0
  end
end
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
if tonumber(ARGV[5]) > 0 and redis.call('HEXISTS', KEYS[3], 'spent') == 1 then
  redis.call('HINCRBY', KEYS[3], 'reserved', ARGV[5])
  redis.call('HINCRBY', KEYS[3], 'reserved:' .. ARGV[4], ARGV[5])
end
if ARGV[6] ~= '' and redis.call('HEXISTS', KEYS[4] .. ARGV[6], 'month') == 1 then
  redis.call('HINCRBY', KEYS[4] .. ARGV[6], 'reserved', ARGV[5])
end
if ARGV[8] ~= '' then
  redis.call('HINCRBY', KEYS[5], ARGV[7], 1)
  redis.call('HINCRBY', KEYS[5], ARGV[7] .. ':key:' .. ARGV[8], 1)
  if ARGV[9] ~= '' then
    redis.call('HINCRBY', KEYS[5], ARGV[7] .. ':model:' .. ARGV[9], 1)
  end
end
return 1
