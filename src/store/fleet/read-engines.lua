-- What the processes of a fleet know of its engines together, as it is stored: one read, in which
-- nothing is decoded.
--
-- KEYS  1 {fleet:<name>}:  the prefix of every key; heartbeat.lua and its parts describe the keys
-- Returns the time (ms), how many ms ago a process was heard last (-1: never), whether leases are
-- told again after a loss of data, and described, states, orders and waiting.

local SILENT_MS = 5000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function key(name)
  return KEYS[1] .. name
end

local newest = redis.call('ZREVRANGE', key('processes'), 0, 0, 'WITHSCORES')
-- A time that is ahead was written before the clock went back.
local age = newest[2] and math.max(0, now - tonumber(newest[2])) or -1
local settling = (tonumber(redis.call('GET', key('settling'))) or 0) - now
return {
  string.format('%.0f', now),
  age,
  settling > 0 and settling <= SILENT_MS and 1 or 0,
  redis.call('HGETALL', key('described')),
  redis.call('HGETALL', key('states')),
  redis.call('HGETALL', key('orders')),
  redis.call('SMEMBERS', key('waiting')),
}
