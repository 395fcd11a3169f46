-- Where conversations are: those that are not at the engine that their hash says (exceptions), and
-- how many each engine holds. Engines are numbers, the hashes of their names.
--
-- {fleet}:exceptions       list: the last ones, 12 characters each
-- {fleet}:exceptions-count how many there were ever
-- {fleet}:held             hash: engine = conversations that all processes count; version = changes
-- {fleet}:held:<process>   hash: engine = conversations that the process counts
-- report.placements        exceptions: new ones, joined; after: the number of the last one read;
--                          held: engine = conversations, those that changed; held_version
-- reply.placements         exceptions: the next ones, joined; at: the number of the last; more: how
--                          many there are after it; held if the version is another; held_version

local EXCEPTIONS_MAX = 10000
local READ_MAX = 1000
local EXCEPTION_LENGTH = 12

-- What a process counts about an engine, and the sum with it. Zeros are not stored.
local function set_held(owner, engine, count)
  local before = tonumber(redis.call('HGET', key('held:' .. owner), engine)) or 0
  if count == before then
    return
  end
  if count == 0 then
    redis.call('HDEL', key('held:' .. owner), engine)
  else
    redis.call('HSET', key('held:' .. owner), engine, count)
  end
  if redis.call('HINCRBY', key('held'), engine, count - before) <= 0 then
    redis.call('HDEL', key('held'), engine)
  end
  redis.call('HINCRBY', key('held'), 'version', 1)
end

on_gone[#on_gone + 1] = function(gone)
  for _, engine in ipairs(redis.call('HKEYS', key('held:' .. gone))) do
    set_held(gone, engine, 0)
  end
end

local placements = report.placements
if placements then
  for engine, count in pairs(placements.held) do
    set_held(process, engine, count)
  end
  local version = tonumber(redis.call('HGET', key('held'), 'version')) or 0
  local held
  if version ~= placements.held_version then
    held = {}
    local stored = redis.call('HGETALL', key('held'))
    for index = 1, #stored, 2 do
      if stored[index] ~= 'version' then
        held[stored[index]] = tonumber(stored[index + 1])
      end
    end
  end

  for start = 1, #placements.exceptions, EXCEPTION_LENGTH do
    local exception = string.sub(placements.exceptions, start, start + EXCEPTION_LENGTH - 1)
    redis.call('RPUSH', key('exceptions'), exception)
    redis.call('INCR', key('exceptions-count'))
  end
  redis.call('LTRIM', key('exceptions'), -EXCEPTIONS_MAX, -1)
  local count = tonumber(redis.call('GET', key('exceptions-count'))) or 0
  -- A process that knows more than the store has survived a loss of data.
  local after = placements.after <= count and placements.after or 0
  local unread = math.min(count - after, redis.call('LLEN', key('exceptions')))
  local read = math.min(unread, READ_MAX)
  local exceptions = ''
  if read > 0 then
    exceptions = table.concat(redis.call('LRANGE', key('exceptions'), -unread, read - unread - 1))
  end
  local more = unread - read
  reply.placements = {
    exceptions = exceptions,
    at = count - more,
    more = more,
    held = held,
    held_version = version,
  }
end
