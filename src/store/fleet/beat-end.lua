-- The end of the beat: who is there. The last file.

bring_back('processes', 0)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', key('processes'), '-inf', now - SILENT_MS)) do
  if gone ~= process then
    forget(gone)
  end
end
if report.leaving then
  forget(process)
else
  redis.call('ZADD', key('processes'), now, process)
  if not was_known then
    raise_epoch()
  end
end
reply.processes = redis.call('ZCARD', key('processes'))
reply.epoch = tonumber(redis.call('GET', key('epoch'))) or 0
return cjson.encode(reply)
