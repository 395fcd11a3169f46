-- Stores the token counts of open requests of one partition, and renews the lease of their process.
--
-- KEYS  1 open, 2 progress: hashes by request id; 3 leases: hash by process
-- ARGV  1 the process, then for each request its id and its counts
-- Returns the ids of requests that are not open: a failover lost them, or they were closed.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[3], ARGV[1], string.format('%.0f', now))

local missing = {}
for i = 2, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
  else
    missing[#missing + 1] = ARGV[i]
  end
end
return missing
