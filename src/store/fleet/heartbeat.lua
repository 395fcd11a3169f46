-- The heartbeat: what a process reports to the fleet, and what it gets back. This file comes first;
-- each further file, `heartbeat-<part>.lua`, reads its part of `report` and writes its part of
-- `reply`. All keys have the same hash tag, so that one script can use them.
--
-- KEYS  1 {fleet:<name>}:  the prefix of every key, in short {fleet}: below
-- {fleet}:orders, {fleet}:orders-version  orders of operators; see replace-orders.lua
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

-- Replaces what a process counts, in the hash `told`, and adds the change to what all count, in the
-- hash `sums`. Returns the sums of these fields. Zeros are not stored.
local function change_counts(told, sums, fields, counts)
  if #fields == 0 then
    return {}
  end
  local before = call('HMGET', key(told), unpack(fields))
  local totals = call('HMGET', key(sums), unpack(fields))
  local none, known, nobody, all = {}, {}, {}, {}
  for i, field in ipairs(fields) do
    totals[i] = math.max(0, (tonumber(totals[i]) or 0) + counts[i] - (tonumber(before[i]) or 0))
    if counts[i] == 0 then
      none[#none + 1] = field
    else
      known[#known + 1], known[#known + 2] = field, counts[i]
    end
    if totals[i] == 0 then
      nobody[#nobody + 1] = field
    else
      all[#all + 1], all[#all + 2] = field, totals[i]
    end
  end
  for _, change in ipairs({ { told, known, none }, { sums, all, nobody } }) do
    if #change[2] > 0 then
      call('HSET', key(change[1]), unpack(change[2]))
    end
    if #change[3] > 0 then
      call('HDEL', key(change[1]), unpack(change[3]))
    end
  end
  return totals
end

local function forget_counts(told, sums)
  local fields, none = call('HKEYS', key(told)), {}
  for i = 1, #fields do
    none[i] = 0
  end
  change_counts(told, sums, fields, none)
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
