-- Replaces the orders that operators gave, unless the same or newer ones are known.
-- Orders are for all fleets, and each has a copy.
--
-- KEYS  1 {fleet}:orders          hash: engine = draining or disabled
--       2 {fleet}:orders-version  of these orders; absent if the store lost them
-- ARGV  1 the version, 2 and so on: engine, order, engine, order …
-- Returns the version that was known before.

local known = tonumber(redis.call('GET', KEYS[2])) or 0
if known < tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[1])
  for at = 2, #ARGV, 2 do
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
  redis.call('SET', KEYS[2], ARGV[1])
end
return known
