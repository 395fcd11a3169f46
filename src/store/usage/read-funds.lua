-- Reads the funds of organizations and API keys of one partition together with what they are made
-- of: the ids of its open requests and the end of its stream.
--
-- KEYS  1 open   hash by request id
--       2 usage  stream of usage records that are not yet posted
--       3 …      funds of each organization and key:<id> of each API key: see limits.lua
-- ARGV  1 the most open requests and 2 the most records that are read, 3 an id: the records of open
--       requests above it are returned too, because they may end before anyone can look them up
-- Returns the id of the last record or an empty text, the ids of the open requests each with its
-- record or an empty text, and the funds of each; nothing if there are more records. With
-- more open requests these are missing, and the first is an empty text.

if redis.call('XLEN', KEYS[2]) > tonumber(ARGV[2]) then
  return {}
end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local open = {}
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[1]) then
  open[1] = ''
else
  for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
    open[#open + 1] = id
    open[#open + 1] = id > ARGV[3] and redis.call('HGET', KEYS[1], id) or ''
  end
end
local funds = {}
for i = 3, #KEYS do
  funds[#funds + 1] = redis.call('HGETALL', KEYS[i])
end
return { last and last[1] or '', open, funds }
