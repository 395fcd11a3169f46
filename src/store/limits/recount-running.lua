-- Compares the counts of running requests of one partition with its open records, and corrects
-- them. They differ only after the work of another release, which does not know the counts, after
-- an unreadable record was removed, or if someone deleted keys.
--
-- KEYS  1 open, 2 running: hashes of the partition: see limits.lua
-- ARGV  1 the most open records that are looked at: a call must not delay the server's clients
-- Returns how many counts were wrong, or -1 if there are more open records.

if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[1]) then
  return -1
end
local counts = {}
local function count(name)
  counts[name] = (counts[name] or 0) + 1
end

for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  -- A record that cannot be read is removed by the worker, and one of an earlier release that is
  -- not counted does not lower the counts at its end.
  local is_record, record = pcall(cjson.decode, text)
  if is_record and type(record) == 'table' and record.counted then
    count(record.organizationId)
    count(record.organizationId .. ':key:' .. record.credentialId)
    if type(record.model) == 'string' then
      count(record.organizationId .. ':model:' .. record.model)
    end
  end
end

local wrong = 0
local stored = redis.call('HGETALL', KEYS[2])
for i = 1, #stored, 2 do
  local name = stored[i]
  if not counts[name] then
    redis.call('HDEL', KEYS[2], name)
    wrong = wrong + 1
  elseif counts[name] == tonumber(stored[i + 1]) then
    counts[name] = nil
  end
end
for name, number in pairs(counts) do
  redis.call('HSET', KEYS[2], name, number)
  wrong = wrong + 1
end
return wrong
