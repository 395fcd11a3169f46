-- How many requests run at once; the fourth part of limits.lua. Each open record counts under its
-- organization, its credential and its model, in one hash of the partition. A count is lowered in
-- the step that deletes the record, so that it lives as long as its records.

local organization = ARGV[11]
local most, most_of_key = tonumber(ARGV[12]), tonumber(ARGV[13])
-- By the names of their fields.
local running = {}

-- One read for all requests of the call.
local function read_running()
  local names = {}
  local function add(name)
    if not running[name] then
      running[name] = 0
      names[#names + 1] = name
    end
  end
  for i = FIRST, #ARGV, PER_REQUEST do
    if ARGV[i + 1] ~= '' then
      add(organization)
      add(organization .. ':key:' .. ARGV[i + 8])
      if ARGV[i + 9] ~= '' then
        add(organization .. ':model:' .. ARGV[i + 9])
      end
    end
  end
  if #names == 0 then
    return
  end
  local found = redis.call('HMGET', KEYS[7], unpack(names))
  for n, name in ipairs(names) do
    running[name] = tonumber(found[n]) or 0
  end
end

read_running()

-- A request may end at any moment, so a short wait is worthwhile.
local function check_running(bit, name, limit)
  if limit and running[name] >= limit then
    violate(bit, RUNNING_WAIT)
  end
end

local function check_caps(i)
  check_running(1024, organization, most)
  check_running(2048, organization .. ':key:' .. ARGV[i + 8], most_of_key)
  check_running(4096, organization .. ':model:' .. ARGV[i + 9], tonumber(ARGV[i + 10]))
end

local started = {}

local function start(name)
  running[name] = running[name] + 1
  started[name] = true
end

local function start_running(i)
  start(organization)
  start(organization .. ':key:' .. ARGV[i + 8])
  if ARGV[i + 9] ~= '' then
    start(organization .. ':model:' .. ARGV[i + 9])
  end
end

local function write_running()
  local fields = {}
  for name in pairs(started) do
    fields[#fields + 1] = name
    fields[#fields + 1] = running[name]
  end
  if #fields > 0 then
    redis.call('HSET', KEYS[7], unpack(fields))
  end
end
