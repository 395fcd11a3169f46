-- All engines in one text, which is made for all processes together. A part of the heartbeat.
--
-- {fleet}:held            hash: engine = conversations that all processes count there
-- {fleet}:held:<process>  hash: engine = conversations that the process counts there
-- {fleet}:summary         string: seven digits of base 64 for each engine in the order of
--                         {fleet}:order: two for the slots leased to all, two for its bound, three
--                         for its conversations
-- {fleet}:summary-at      string: when it was made (ms)
-- {fleet}:summary-order   string: the version of the order that it was made by
--
-- report.summary  at: when the one that it knows was made; order: the version of the order that it
--                 knows; held: engine = conversations that it counts there, where that changed
-- reply.summary   at, text, if there is a newer one; order, names, if the order has changed

-- As long as a summary is used for each engine in it: making it takes about 1 µs for each.
local MS_PER_ENGINE = 0.5
local MS_MAX = 400
local DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

on_gone[#on_gone + 1] = function(gone)
  forget_counts('held:' .. gone, 'held')
end

local function digits(value, count)
  local left = math.min(64 ^ count - 1, math.max(0, tonumber(value) or 0))
  local text = ''
  for _ = 1, count do
    local digit = left % 64
    text = string.sub(DIGITS, digit + 1, digit + 1) .. text
    left = (left - digit) / 64
  end
  return text
end

local function make_summary(names)
  local leased = call('HMGET', key('leased'), unpack(names))
  local bound = call('HMGET', key('bound'), unpack(names))
  local held = call('HMGET', key('held'), unpack(names))
  local parts = {}
  for i = 1, #names do
    parts[i] = digits(leased[i], 2) .. digits(bound[i], 2) .. digits(held[i], 3)
  end
  return table.concat(parts)
end

if report.summary then
  local names, counts = {}, {}
  for engine, count in pairs(report.summary.held) do
    names[#names + 1], counts[#counts + 1] = engine, count
  end
  change_counts('held:' .. process, 'held', names, counts)
  local version = tonumber(call('GET', key('order-version'))) or 0
  local at = tonumber(call('GET', key('summary-at'))) or 0
  local count = call('LLEN', key('order'))
  local is_new = version ~= report.summary.order
  local is_valid = tonumber(call('GET', key('summary-order'))) == version
  local age = now - at
  local is_young = age >= 0 and age < math.min(MS_MAX, MS_PER_ENGINE * count)
  if count > 0 and not (is_valid and is_young) then
    at = now
    call('SET', key('summary'), make_summary(call('LRANGE', key('order'), 0, -1)))
    call('SET', key('summary-at'), string.format('%.0f', now))
    call('SET', key('summary-order'), version)
  end
  reply.summary = {}
  if is_new then
    reply.summary.order, reply.summary.names = version, call('LRANGE', key('order'), 0, -1)
  end
  if count > 0 and (is_new or at ~= report.summary.at) then
    reply.summary.at, reply.summary.text = at, call('GET', key('summary'))
  end
end
