-- How many may run on each engine, and where there is room. Shared by the parts of the heartbeat.
--
-- {fleet}:described   hash: engine's name = JSON: slots, identities = { identity = pools }; an
--                     identity is name, server and model, separated by spaces. What the last
--                     process said that named the engine; also reserved = { identity =
--                     { organization, models } } and known = { identity = abilities }, which
--                     only readers of model states use
-- {fleet}:named       sorted set: engine's name → when a process last named it (ms)
-- {fleet}:order       list: the names, in the order of the summary
-- {fleet}:order-version  string: raised when the list changes
-- {fleet}:capacity    hash: engine's name = how many may run by its states, if not all its slots
-- {fleet}:found       hash: engine's name = how many may run by its load, if not all its slots
-- {fleet}:bound       hash: engine's name = the least of slots, capacity and found
-- {fleet}:serves      hash: engine's name = pools whose requests it takes, separated by spaces
-- {fleet}:leased      hash: engine's name = slots leased to all processes
-- {fleet}:room:<pool> sorted set: engine's name → slots that nobody has leased, if there are any. A
--                     hint: grants are made by bound and leased

-- Processes name their engines every minute.
local UNUSED_MS = 120000
local SERVING = { ready = true, suspect = true, warming = true }

-- Engines whose free slots may have changed in this call: name = what is known of it (bound, total
-- that is leased, pools), or true if that has to be read.
local moved = {}

local function split(text)
  local words = {}
  for word in string.gmatch(text or '', '%S+') do
    words[#words + 1] = word
  end
  return words
end

local function is_serving(identity)
  local state = call('HGET', key('states'), identity)
  return not state or SERVING[cjson.decode(state).state]
end

-- The pools whose requests an engine takes: none of an identity that is out, none while an operator
-- keeps the engine out.
local function find_pools(name, identities)
  local pools, found = {}, {}
  if call('HEXISTS', key('orders'), name) == 1 then
    return pools
  end
  for identity, own in pairs(identities) do
    if is_serving(identity) then
      for _, pool in ipairs(own) do
        if not found[pool] then
          found[pool] = true
          pools[#pools + 1] = pool
        end
      end
    end
  end
  return pools
end

-- Call after the description, a state, an order or the capacity of an engine has changed.
local function refresh(name)
  local text = call('HGET', key('described'), name)
  local described = text and cjson.decode(text) or { identities = {} }
  local pools = find_pools(name, described.identities)
  local serves = table.concat(pools, ' ')
  for _, pool in ipairs(split(call('HGET', key('serves'), name))) do
    call('ZREM', key('room:' .. pool), name)
  end
  call('HSET', key('serves'), name, serves)
  if described.slots then
    local capacity = tonumber(call('HGET', key('capacity'), name)) or described.slots
    local found = tonumber(call('HGET', key('found'), name)) or described.slots
    call('HSET', key('bound'), name, math.min(described.slots, capacity, found))
  end
  moved[name] = true
end

-- Adds what is stored of engines to `moved`, where nothing is known.
local function read_moved()
  local names = {}
  for name, known in pairs(moved) do
    if known == true then
      names[#names + 1] = name
    end
  end
  if #names == 0 then
    return
  end
  local bound = call('HMGET', key('bound'), unpack(names))
  local leased = call('HMGET', key('leased'), unpack(names))
  local serves = call('HMGET', key('serves'), unpack(names))
  for i, name in ipairs(names) do
    local limit, total = tonumber(bound[i]) or 0, tonumber(leased[i]) or 0
    moved[name] = { bound = limit, total = total, pools = split(serves[i]) }
  end
end

local function update_rooms()
  read_moved()
  for name, engine in pairs(moved) do
    local free = engine.bound - engine.total
    for _, pool in ipairs(engine.pools) do
      if free > 0 then
        call('ZADD', key('room:' .. pool), free, name)
      else
        call('ZREM', key('room:' .. pool), name)
      end
    end
  end
end

-- `descriptions`: engine's name = its description. Each is decoded only when it has changed.
local function describe(descriptions)
  for name, text in pairs(descriptions) do
    if call('ZADD', key('named'), now, name) == 1 then
      call('RPUSH', key('order'), name)
      call('INCR', key('order-version'))
    end
    if call('HGET', key('described'), name) ~= text then
      call('HSET', key('described'), name, text)
      refresh(name)
    end
  end
end

-- No process has it any more: until one describes it again, nobody gets its slots.
local function withdraw(name)
  if call('HDEL', key('described'), name) == 1 then
    refresh(name)
  end
end

local function forget_unnamed()
  bring_back('named', 0)
  for _, name in ipairs(call('ZRANGEBYSCORE', key('named'), '-inf', now - UNUSED_MS)) do
    withdraw(name)
    for _, hash in ipairs({ 'bound', 'serves', 'found', 'watchers' }) do
      call('HDEL', key(hash), name)
    end
    call('ZREM', key('named'), name)
    call('LREM', key('order'), 0, name)
    call('INCR', key('order-version'))
    moved[name] = nil
  end
end
