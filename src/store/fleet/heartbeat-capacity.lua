-- What the controllers of the engines have found. A part of the heartbeat, before the leases, which
-- use it; after the watch, which elects the process that controls an engine.
--
-- {fleet}:found        hash: engine = requests it can run at once, of those below their slots
-- report.capacity      ask: engines of which the process wants to know what was found before
--                      found: engine = what it has found, or 0 for no bound
-- reply.capacity       engine = what was found, or 0; of those it asked for

if report.capacity then
  for engine, found in pairs(report.capacity.found) do
    local watcher = string.match(call('HGET', key('watchers'), engine) or '', '^%S+')
    local before = tonumber(call('HGET', key('found'), engine)) or 0
    if watcher == process and found ~= before then
      if found == 0 then
        call('HDEL', key('found'), engine)
      else
        call('HSET', key('found'), engine, string.format('%.0f', found))
      end
      refresh(engine)
    end
  end
  reply.capacity = {}
  for _, engine in ipairs(report.capacity.ask) do
    reply.capacity[engine] = tonumber(call('HGET', key('found'), engine)) or 0
  end
end
