-- Adds differences to the funds of an organization or of an API key. Differences, not values:
-- requests may have been admitted and settled since the funds were read, and that changed both
-- sides alike.
--
-- KEYS  1 funds or key:<id>  hash: see limits.lua
-- ARGV  four for each field: its name, the difference, and the field of the month that must be
--       unchanged with that month (YYYYMM), or both empty
-- Returns 1, or 0 if the funds are no longer stored here.

if redis.call('HEXISTS', KEYS[1], 'spent') == 0 then
  return 0
end
for i = 1, #ARGV, 4 do
  local field, month = ARGV[i + 2], ARGV[i + 3]
  if field == '' or redis.call('HGET', KEYS[1], field) == month then
    local number = (tonumber(redis.call('HGET', KEYS[1], ARGV[i])) or 0) + tonumber(ARGV[i + 1])
    redis.call('HSET', KEYS[1], ARGV[i], string.format('%.0f', math.max(0, number)))
  end
end
return 1
