-- Elects one process for each engine, which reads its metrics, checks it and controls its capacity.
--
-- {fleet}:watchers  hash: engine = process, when its election ends (ms)
-- report.watch      engines that the process watches or would watch
-- reply.watch       those of them that it watches now: engine = 1

local ELECTED_MS = 2000

if report.watch then
  local elected = {}
  for _, engine in ipairs(report.watch) do
    local holder, ends = string.match(redis.call('HGET', key('watchers'), engine) or '', '^(%S+) (%d+)$')
    if not holder or holder == process or tonumber(ends) < now then
      redis.call('HSET', key('watchers'), engine, string.format('%s %.0f', process, now + ELECTED_MS))
      elected[engine] = 1
    end
  end
  reply.watch = elected
end
