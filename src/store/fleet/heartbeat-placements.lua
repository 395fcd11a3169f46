-- Where conversations are that are not at the engine that their hash says (exceptions). A part of
-- the heartbeat. Engines are numbers, the hashes of their names.
--
-- {fleet}:exceptions       list: the last ones, 12 characters each
-- {fleet}:exceptions-count how many there were ever
-- report.placements        exceptions: new ones, joined; after: the number of the last one read
-- reply.placements         exceptions: the next ones, joined; at: the number of the last; more: how
--                          many there are after it

local EXCEPTIONS_MAX = 10000
local READ_MAX = 1000
local EXCEPTION_LENGTH = 12

local placements = report.placements
if placements then
  local new = {}
  for start = 1, #placements.exceptions, EXCEPTION_LENGTH do
    new[#new + 1] = string.sub(placements.exceptions, start, start + EXCEPTION_LENGTH - 1)
  end
  if #new > 0 then
    call('RPUSH', key('exceptions'), unpack(new))
    call('INCRBY', key('exceptions-count'), #new)
    call('LTRIM', key('exceptions'), -EXCEPTIONS_MAX, -1)
  end
  local count = tonumber(call('GET', key('exceptions-count'))) or 0
  -- A process that knows more than the store has survived a loss of data.
  local after = placements.after <= count and placements.after or 0
  local unread = math.min(count - after, call('LLEN', key('exceptions')))
  local read = math.min(unread, READ_MAX)
  local exceptions = ''
  if read > 0 then
    exceptions = table.concat(call('LRANGE', key('exceptions'), -unread, read - unread - 1))
  end
  local more = unread - read
  reply.placements = {
    exceptions = exceptions,
    at = count - more,
    more = more,
  }
end
