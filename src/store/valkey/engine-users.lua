-- Registers a process as a user of engines, and tells it for each one whether it is alone.
--
-- KEYS  1 hash: `run` (of the server), and `since` when it has registrations (ms);
--         for each engine
--       2 sorted set, by the server's time in ms: `<instance>`, when it last registered, and
--         `alone:<instance>`, when it was last told that it is alone
--       3 the slots that several processes share, see slot-table.lua
-- ARGV  1 instance  2 lifetime of an entry in ms  3 1 if the process may be told that it is alone;
--         for each engine
--       4 1 if the process uses it now
-- Returns for each engine: 1 if it is alone, and the ms after which no other process believes that.
local instance, lifetime = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- A server that was restarted or emptied, or took over, may lack registrations that others rely on.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known = redis.call('HMGET', KEYS[1], 'run', 'since')
local since = tonumber(known[2])
if known[1] ~= run or since > now then
  since = now
  redis.call('HSET', KEYS[1], 'run', run, 'since', string.format('%.0f', since))
end
local incomplete = math.max(0, since + lifetime - now)

local reply = {}
for index = 2, #KEYS, 2 do
  local users, slots = KEYS[index], KEYS[index + 1]
  redis.call('ZREMRANGEBYSCORE', users, '-inf', now - lifetime)
  -- Who uses the engine now knows that nobody else believes to be alone.
  local others, wait = 0, ARGV[3 + index / 2] == '1' and 0 or incomplete
  local entries = redis.call('ZRANGE', users, 0, -1, 'WITHSCORES')
  for entry = 1, #entries, 2 do
    local name = entries[entry]
    if name ~= instance and name ~= 'alone:' .. instance then
      if string.sub(name, 1, 6) ~= 'alone:' then
        others = others + 1
      else
        -- A server whose clock was set back still has entries of the future.
        wait = math.min(lifetime, math.max(wait, entries[entry + 1] + lifetime - now))
      end
    end
  end
  redis.call('ZADD', users, now, instance)
  local alone = others == 0 and wait == 0 and incomplete == 0 and ARGV[3] == '1'
  if alone then
    redis.call('ZADD', users, now, 'alone:' .. instance)
    -- From now on the slots are used without this table.
    redis.call('DEL', slots)
  end
  redis.call('PEXPIRE', users, 2 * lifetime)
  reply[#reply + 1] = alone and 1 or 0
  reply[#reply + 1] = wait
end
return reply
