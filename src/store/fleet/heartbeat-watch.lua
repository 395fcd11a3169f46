-- Elects one process for each engine, which reads its metrics, checks it and controls its capacity.
--
-- {fleet}:watchers  hash: engine = process, when its election ends (ms)
-- report.watch      engines that the process watches or would watch
-- reply.watch       those of them that it watches now: engine = 1

local ELECTED_MS = 2000

if report.watch then
  local elected = {}
  for _, engine in ipairs(report.watch) do
    local election = call('HGET', key('watchers'), engine) or ''
    local at = string.find(election, ' ', 1, true)
    local holder = at and string.sub(election, 1, at - 1)
    local left = at and tonumber(string.sub(election, at + 1)) - now
    -- One that lasts longer than an election can was made before the clock went back.
    if not at or holder == process or left < 0 or left > ELECTED_MS then
      local until_ms = string.format('%.0f', now + ELECTED_MS)
      call('HSET', key('watchers'), engine, process .. ' ' .. until_ms)
      elected[engine] = 1
    end
  end
  reply.watch = elected
end
