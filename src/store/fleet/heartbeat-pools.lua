-- What processes know of each model together: who is active, who runs much, virtual times.
-- A part of the heartbeat.
--
-- {fleet}:active:<pool>   sorted set: the two organizations active last → when
-- {fleet}:running         hash: pool, a space, organization = what it runs in all processes
-- {fleet}:runs:<process>  hash: the same, of what it runs in the process
-- {fleet}:present:<pool>  string: the highest start tag of a request
--
-- report.pools  active: pool = { organization, … } active since the last heartbeat
--               present: pool = highest start tag of a request of it
--               running: pool = { organization = what it runs here }, of those that run much
--               wanted: pools whose present and activity it wants to know
-- reply.pools   known: pool = { present, organization, ms, organization, ms }
--               running: pool = { organization = what it runs in all processes }, as asked

local ACTIVE_MS = 600000
local PRESENT_MS = 2 * 86400000

local function tell_activity(pool, organizations)
  for _, organization in ipairs(organizations) do
    call('ZADD', key('active:' .. pool), now, organization)
  end
  call('ZREMRANGEBYRANK', key('active:' .. pool), 0, -3)
  call('PEXPIRE', key('active:' .. pool), ACTIVE_MS)
end

local function read_present(pool)
  return tonumber(call('GET', key('present:' .. pool))) or 0
end

local function describe_pool(pool)
  local described = { read_present(pool) }
  local active = call('ZRANGE', key('active:' .. pool), 0, -1, 'WITHSCORES')
  for i = 1, #active, 2 do
    described[#described + 1] = active[i]
    described[#described + 1] = math.max(0, now - tonumber(active[i + 1]))
  end
  return described
end

on_gone[#on_gone + 1] = function(gone)
  forget_counts('runs:' .. gone, 'running')
end

if report.pools then
  for pool, organizations in pairs(report.pools.active) do
    tell_activity(pool, organizations)
  end
  for pool, present in pairs(report.pools.present) do
    if present > read_present(pool) then
      call('SET', key('present:' .. pool), string.format('%.0f', present), 'PX', PRESENT_MS)
    end
  end
  local running, known = {}, {}
  for pool, organizations in pairs(report.pools.running) do
    local names, fields, counts = {}, {}, {}
    for organization, count in pairs(organizations) do
      names[#names + 1], counts[#counts + 1] = organization, count
      fields[#fields + 1] = pool .. ' ' .. organization
    end
    running[pool] = {}
    for i, total in ipairs(change_counts('runs:' .. process, 'running', fields, counts)) do
      running[pool][names[i]] = total
    end
  end
  for _, pool in ipairs(report.pools.wanted) do
    known[pool] = describe_pool(pool)
  end
  reply.pools = { known = known, running = running }
end
