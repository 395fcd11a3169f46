-- The end of the heartbeat: who is there. The last file.

if report.leaving then
  forget(process)
end
if report.figures then
  bring_back('processes', 0)
  for _, gone in ipairs(call('ZRANGEBYSCORE', key('processes'), '-inf', now - SILENT_MS)) do
    forget(gone)
  end
  forget_unnamed()
  reply.processes = call('ZCARD', key('processes'))
end
update_rooms()
return cjson.encode(reply)
