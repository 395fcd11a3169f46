-- Elects one process for each engine, which reads its metrics, checks it and controls its capacity.
--
-- {fleet}:watchers  hash: engine = process, when its election ends (ms)
-- report.watch      engines that the process watches or would watch
-- reply.watch       those of them that it watches now: engine = 1

local ELECTED_MS = 2000

if report.watch and #report.watch > 0 then
  local elections = call('HMGET', key('watchers'), unpack(report.watch))
  local mine = process .. ' ' .. string.format('%.0f', now + ELECTED_MS)
  local elected, won = {}, {}
  for i, engine in ipairs(report.watch) do
    local holder, ends = string.match(elections[i] or '', '^(%S+) (%d+)$')
    local left = holder and ends - now
    -- One that lasts longer than an election can was made before the clock went back.
    if not holder or holder == process or left < 0 or left > ELECTED_MS then
      won[#won + 1], won[#won + 2] = engine, mine
      elected[engine] = 1
    end
  end
  if #won > 0 then
    call('HSET', key('watchers'), unpack(won))
  end
  reply.watch = elected
end
