-- Takes back what the closing of a request counted, after its own process has settled it too.
--
-- KEYS  1 funds  hash: see limits.lua
--       2 hour   hash: what was settled of requests made in the hour
-- ARGV  1 project, 2 the month of its making (YYYYMM), 3 its cost, and its 4 prompt, 5 cached,
--       6 completion and 7 reasoning tokens
-- Returns 1.

if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HINCRBY', KEYS[2], 'records', -1)
  for n, name in ipairs({ 'cost', 'prompt', 'cached', 'completion', 'reasoning' }) do
    redis.call('HINCRBY', KEYS[2], name, '-' .. ARGV[2 + n])
  end
end

local cost = tonumber(ARGV[3])
local month = 'month:' .. ARGV[1]
local spent = 'spent:' .. ARGV[1]
local found = redis.call('HMGET', KEYS[1], 'spent', month, spent)
local function lower(name, number)
  redis.call('HSET', KEYS[1], name, string.format('%.0f', math.max(0, number - cost)))
end
if cost > 0 and found[1] then
  lower('spent', tonumber(found[1]))
  if found[2] == ARGV[2] and found[3] then
    lower(spent, tonumber(found[3]))
  end
end
return 1
