-- Reads the limits and funds of an organization at one moment. Writes nothing.
--
-- KEYS  1 limits, 2 funds: hashes; 3 open: hash of the partition: see limits.lua
-- ARGV  1 the organization, 2 the most open requests of the partition that are looked at
-- Returns the server's time (ms); at, request_debt, token_debt, requests_today, tokens_today; spent
-- and reserved; each as stored, or nothing; then how many requests of the organization are running,
-- or -1 if the partition has more open requests than are looked at.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local running = -1
if redis.call('HLEN', KEYS[3]) <= tonumber(ARGV[2]) then
  running = 0
  for _, record in ipairs(redis.call('HVALS', KEYS[3])) do
    if string.find(record, ARGV[1], 1, true) then
      running = running + 1
    end
  end
end

local limits =
  redis.call('HMGET', KEYS[1], 'at', 'request_debt', 'token_debt', 'requests_today', 'tokens_today')
local funds = redis.call('HMGET', KEYS[2], 'spent', 'reserved')
return { string.format('%.0f', now), limits, funds, running }
