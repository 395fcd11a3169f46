-- Decides whether a sign-in may be tried, before the password is computed, and counts it as failed
-- until it succeeds. So many attempts at once cannot pass before the first of them has failed.
--
-- KEYS  1 subject  hash: count (failures), until (ms of the server's clock)
-- ARGV  1 'try' or 'undo', 2 failures without a delay, 3 first delay in ms, 4 longest delay in ms,
--       5 how long failures are remembered, in ms, 6 'first' or 'last': since which of them
-- Returns the ms to wait; 0 if the attempt may be made. An attempt that must wait is not counted.

local stored = redis.call('HMGET', KEYS[1], 'count', 'until')
local count = tonumber(stored[1]) or 0

if ARGV[1] == 'undo' then
  if count > 0 then
    redis.call('HSET', KEYS[1], 'count', count - 1)
    if count <= tonumber(ARGV[2]) then
      redis.call('HSET', KEYS[1], 'until', 0)
    end
  end
  return 0
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait = (tonumber(stored[2]) or 0) - now
if wait > 0 then
  return wait
end

count = count + 1
local delay = 0
local beyond = count - tonumber(ARGV[2])
if beyond >= 0 then
  -- 2^30 of the first delay is longer than any longest one.
  delay = math.min(tonumber(ARGV[3]) * 2 ^ math.min(beyond, 30), tonumber(ARGV[4]))
end
redis.call('HSET', KEYS[1], 'count', count, 'until', string.format('%.0f', now + delay))
if ARGV[6] == 'last' or count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
return 0
