-- Subtracts what closing a request counted, after its own process has settled the request too.
--
-- KEYS  1 funds  hash: see limits.lua
--       2 hour   hash: sums of settled requests that were made in the hour
-- ARGV  1 project, 2 the month the request was made in (YYYYMM), 3 its cost, and its 4 prompt,
--       5 cached, 6 completion and 7 reasoning tokens
-- Returns 1.

if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HINCRBY', KEYS[2], 'records', -1)
  for n, name in ipairs({ 'cost', 'prompt', 'cached', 'completion', 'reasoning' }) do
    redis.call('HINCRBY', KEYS[2], name, '-' .. ARGV[2 + n])
  end
end

local cost = tonumber(ARGV[3])
local project_month = 'month:' .. ARGV[1]
local project_spent = 'spent:' .. ARGV[1]
local found = redis.call('HMGET', KEYS[1], 'spent', project_month, project_spent)
local function subtract_cost(name, number)
  redis.call('HSET', KEYS[1], name, string.format('%.0f', math.max(0, number - cost)))
end
if cost > 0 and found[1] then
  subtract_cost('spent', tonumber(found[1]))
  if found[2] == ARGV[2] and found[3] then
    subtract_cost(project_spent, tonumber(found[3]))
  end
end
return 1
