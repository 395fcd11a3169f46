-- Registers a process as a user of engines, and tells it for each one whether it is alone.
-- KEYS: for each engine a sorted set, by the server's time in ms: `<instance>`, when it last
--       registered, and `alone:<instance>`, when it was last told that it is alone.
-- ARGV: instance, lifetime of an entry in ms, 1 if the process may be told that it is alone.
-- Returns for each engine: 1 if it is alone, and the ms after which no other process believes that.
local instance, lifetime = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reply = {}
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - lifetime)
  local others, wait = 0, 0
  local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for index = 1, #entries, 2 do
    local name = entries[index]
    if name ~= instance and name ~= 'alone:' .. instance then
      if string.sub(name, 1, 6) ~= 'alone:' then
        others = others + 1
      else
        -- A server whose clock was set back still has entries of the future.
        wait = math.min(lifetime, math.max(wait, entries[index + 1] + lifetime - now))
      end
    end
  end
  redis.call('ZADD', key, now, instance)
  local alone = others == 0 and wait == 0 and ARGV[3] == '1'
  if alone then
    redis.call('ZADD', key, now, 'alone:' .. instance)
  end
  redis.call('PEXPIRE', key, 2 * lifetime)
  reply[#reply + 1] = alone and 1 or 0
  reply[#reply + 1] = wait
end
return reply
