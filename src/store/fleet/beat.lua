-- The beat: what a process and the rest of the fleet tell each other, several times a second. This
-- file comes first; each further file, `beat-<part>.lua`, reads its part of `report` and writes its
-- part of `reply`. All keys have the hash tag {fleet}, so that one script can use them together.
--
-- KEYS  1 {fleet}:<name>:  the prefix of every key, in short {fleet}: below
--       2 {fleet}:orders   hash: engine = an operator's order, of all fleets
-- ARGV  1 the report as JSON: process, known (whether it had a reply before), leaving, the parts
-- Returns the reply as JSON: lost (whether what it told before is no longer known), processes (how
-- many), epoch (changes when everything should be told again), and the parts.

local SILENT_MS = 5000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local report = cjson.decode(ARGV[1])
local process = report.process

local function key(name)
  return KEYS[1] .. name
end

-- The clock of the server may go back: after a failover, or when it is set. A time in a sorted set
-- that is more than `ahead` ms from now was written before that, and counts as now.
local function bring_back(name, ahead)
  local late = redis.call('ZRANGEBYSCORE', key(name), '(' .. now + ahead, '+inf')
  for _, member in ipairs(late) do
    redis.call('ZADD', key(name), now, member)
  end
end

local function raise_epoch()
  redis.call('INCR', key('epoch'))
end

-- Each part adds what it does when a process is gone; called with the name of the process.
local on_gone = {}

local function forget(gone)
  for _, forget_part in ipairs(on_gone) do
    forget_part(gone)
  end
  redis.call('ZREM', key('processes'), gone)
  raise_epoch()
end

local was_known = redis.call('ZSCORE', key('processes'), process)
-- Whether the store lost its data while processes went on.
local lost = report.known and not was_known
local forgotten = lost and redis.call('ZCARD', key('processes')) == 0
local reply = { lost = lost or nil }
