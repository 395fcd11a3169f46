#!lua flags=allow-oom
-- Ends a request whose process is gone, as it would have been settled (see settle.lua), unless
-- anything shows that the process lives after all. It is not put among those settled of late, so
-- that a process that was only cut off can still settle it: the ledger takes that word instead.
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

local KEEP_HOUR = 3 * 86400

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
  redis.call('HINCRBY', KEYS[6], 'records', 1)
  for n, name in ipairs({ 'cost', 'prompt', 'cached', 'completion', 'reasoning' }) do
    redis.call('HINCRBY', KEYS[6], name, ARGV[8 + n])
  end
  redis.call('EXPIRE', KEYS[6], KEEP_HOUR)
end

local function digits(number)
  return string.format('%.0f', number)
end

local reserved, cost, month = tonumber(ARGV[6]), tonumber(ARGV[9]), tonumber(ARGV[8])
if reserved == 0 and cost == 0 then
  return 1
end
local names = { 'spent', 'reserved' }
for n, name in ipairs({ 'reserved:', 'spent:', 'month:' }) do
  names[2 + n] = name .. ARGV[5]
end
local found = redis.call('HMGET', KEYS[5], unpack(names))
-- Funds that are not known here are read from the ledger when they are next needed.
if not found[1] then
  return 1
end
redis.call('HSET', KEYS[5],
  'spent', digits(tonumber(found[1]) + cost),
  'reserved', digits(math.max(0, (tonumber(found[2]) or 0) - reserved)),
  names[3], digits(math.max(0, (tonumber(found[3]) or 0) - reserved)))
local known = tonumber(found[5])
if known and month > known then
  redis.call('HSET', KEYS[5], names[4], digits(cost), names[5], digits(month))
elseif known and month == known then
  redis.call('HSET', KEYS[5], names[4], digits(tonumber(found[4]) + cost))
end
return 1
