-- The heartbeat: what a process reports to the fleet, and what it gets back. This file comes first;
-- each further file, `heartbeat-<part>.lua`, reads its part of `report` and writes its part of `reply`.
-- All keys have the same hash tag, so that one script can use them together.
--
-- KEYS  1 {fleet}:<name>:         the prefix of every key, in short {fleet}: below
--       2 {fleet}:orders          hash: engine = an operator's order, of all fleets
--       3 {fleet}:orders-version  changes with every order
-- {fleet}:processes  sorted set: process → when it was heard last (ms)
-- {fleet}:numbers    hash: process = the number of its last report
-- ARGV  1 the report as JSON: process, number (rises with every report), known (whether it had a
--         reply before), leaving, figures (whether it wants what is told now and then), the parts
-- Returns the reply as JSON: lost (whether what it told before is no longer known), processes (how
-- many there are, with figures), and the parts.

local SILENT_MS = 5000

local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local report = cjson.decode(ARGV[1])
local process = report.process

local function key(name)
  return KEYS[1] .. name
end

-- A report that a broken connection delivers after a later one says what is no longer true.
if report.number then
  local last = tonumber(call('HGET', key('numbers'), process))
  if last and report.number <= last then
    return '{}'
  end
  call('HSET', key('numbers'), process, report.number)
end

-- The clock of the server may go back: after a failover, or when it is set. A time in a sorted set
-- that is more than `ahead` ms from now was written before that, and counts as now.
local function bring_back(name, ahead)
  local late = call('ZRANGEBYSCORE', key(name), '(' .. now + ahead, '+inf')
  for _, member in ipairs(late) do
    call('ZADD', key(name), now, member)
  end
end

-- Each part adds what it does when a process is gone; called with the name of the process.
local on_gone = {}

local function forget(gone)
  for _, forget_part in ipairs(on_gone) do
    forget_part(gone)
  end
  call('ZREM', key('processes'), gone)
  call('HDEL', key('numbers'), gone)
end

local was_known = call('ZADD', key('processes'), now, process) == 0
-- Whether the store lost its data while processes went on.
local lost = report.known and not was_known
local processes = call('ZCARD', key('processes'))
local forgotten = lost and processes == 1
local reply = { lost = lost or nil }
