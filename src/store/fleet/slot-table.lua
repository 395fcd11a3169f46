-- The slots of an engine whose prompt cache belongs to them, shared by several processes: decides
-- which slot a generation uses, and whether it may reuse what the slot has cached. ADR 73 has the
-- argument why no organization reuses the prompt of another.
--
-- KEYS  1 hash: `born` (ms), `run` (of the server), and each slot that was used =
--         used (ms), settled (ms), owner, prefix, head, and then its generations:
--         process:ticket:organization:1 if the organization becomes the owner
--       2 sorted set of the engine's users, see engine-users.lua
-- ARGV  1 process  2 ticket: the number of the generation in its process, and then
--   take:    3 organization  4 prefix  5 head  6 number of slots
--            7 1 if the engine was seen to keep its slots apart
--            8 the generations of the process: ticket:slot, or ticket:-1 while they take one
--            Returns the slot, and 1 if its cached prompt may be reused. A check gets only a slot
--            that is free, else -1.
--   release: 3 slot, -1 if unknown  4 1 if the engine sent pieces  5 1 if the generation ended
--            Returns 1 if it was known.

local USER_MS = 4000
-- What was sent to the engine before reaches its slot within this time, or never.
local SETTLE_MS = 5000
-- A slot of another organization that was idle for so long is taken before one's own.
local STALE_MS = 60000
local KEEP_MS = 3600000
local NOBODY = '-'
-- The organization of a check of the engine, which another generation would disturb.
local CHECK = 'check'
-- The organization of a generation that another table has placed.
local UNKNOWN = '?'

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local process, ticket = ARGV[1], ARGV[2]

local function read(text)
  local used, settled, owner, prefix, head, rest =
    string.match(text, '^(%d+) (%d+) (%S+) (%S+) (%S+)(.*)$')
  local slot = {
    used = tonumber(used), settled = tonumber(settled),
    owner = owner, prefix = prefix, head = head, holders = {},
  }
  for by, number, organization, records in string.gmatch(rest, ' ([^:]+):(%d+):([^:]+):(%d)') do
    table.insert(slot.holders, {
      process = by, ticket = number, organization = organization, records = records == '1',
    })
  end
  return slot
end

local function write(number, slot)
  local parts = {
    string.format('%.0f %.0f', slot.used, slot.settled), slot.owner, slot.prefix, slot.head,
  }
  for _, holder in ipairs(slot.holders) do
    local by, records = holder.process, holder.records and '1' or '0'
    table.insert(parts, table.concat({ by, holder.ticket, holder.organization, records }, ':'))
  end
  redis.call('HSET', KEYS[1], number, table.concat(parts, ' '))
end

local function find_holder(slot)
  for index, holder in ipairs(slot.holders) do
    if holder.process == process and holder.ticket == ticket then
      return index
    end
  end
end

local function release(number, progressed, ended)
  local text = redis.call('HGET', KEYS[1], number)
  local slot = text and read(text)
  local index = slot and find_holder(slot)
  if not index then
    return 0
  end
  local holder = table.remove(slot.holders, index)
  if progressed and holder.records then
    slot.owner = holder.organization
  end
  slot.used = now
  if not ended then
    slot.settled = now + SETTLE_MS
  end
  write(number, slot)
  return 1
end

if #ARGV == 5 then
  if ARGV[3] ~= '-1' then
    return release(ARGV[3], ARGV[4] == '1', ARGV[5] == '1')
  end
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.match(field, '^%d') and release(field, false, false) == 1 then
      return 1
    end
  end
  return 0
end

local organization, prefix, head, count = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local isolated = ARGV[7] == '1'

-- A server that was restarted, or took over, may lack the last changes.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known = redis.call('HMGET', KEYS[1], 'run', 'born')
local born = tonumber(known[2]) or now
if known[1] ~= run then
  born = now
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'run', run, 'born', string.format('%.0f', born))
end
redis.call('PEXPIRE', KEYS[1], KEEP_MS)

local own, placed = { [ticket] = true }, {}
for number, slot in string.gmatch(ARGV[8], '(%d+):(-?%d+)') do
  own[number] = true
  placed[slot] = placed[slot] or {}
  placed[slot][number] = true
end

local seen = {}
local function is_gone(holder)
  if holder.process == process then
    return not own[holder.ticket]
  end
  if seen[holder.process] == nil then
    local last = redis.call('ZSCORE', KEYS[2], holder.process)
    seen[holder.process] = last and now - last < USER_MS or false
  end
  return not seen[holder.process]
end

-- The generations of processes that died, and whose release was lost, may still run in the engine.
local function forget_gone(slot)
  for index = #slot.holders, 1, -1 do
    if is_gone(slot.holders[index]) then
      table.remove(slot.holders, index)
      slot.owner = NOBODY
      slot.settled = now + SETTLE_MS
      slot.changed = true
    end
  end
end

local function forbid_records(slot)
  for _, holder in ipairs(slot.holders) do
    holder.records = false
  end
end

-- Generations of this process that the table lost, or that were placed in memory.
local function add_placed(slot, tickets)
  for _, holder in ipairs(slot.holders) do
    if holder.process == process then
      tickets[holder.ticket] = nil
    end
  end
  for number in pairs(tickets) do
    table.insert(slot.holders, { process = process, ticket = number, organization = UNKNOWN })
    forbid_records(slot)
    slot.owner = NOBODY
    slot.changed = true
  end
end

local slots = {}
local fields = redis.call('HGETALL', KEYS[1])
for index = 1, #fields, 2 do
  local number = tonumber(fields[index])
  if number then
    slots[number] = read(fields[index + 1])
  end
end
for number, tickets in pairs(placed) do
  number = tonumber(number)
  if number >= 0 then
    slots[number] = slots[number]
      or { used = now, settled = 0, owner = NOBODY, prefix = '0', head = '0', holders = {} }
    add_placed(slots[number], tickets)
  end
end

-- Lower is better. The second value decides among equals: lower is better there, too.
local function rank(slot)
  if not slot then
    return 1, -1
  end
  if slot.owner == organization then
    -- Of several slots with the conversation the latest is best, otherwise the oldest.
    if slot.prefix == prefix then
      return 0, -slot.used
    end
    return slot.head == head and 2 or 3, slot.used
  end
  if now < slot.settled then
    return 4, slot.used
  end
  if slot.owner == NOBODY then
    return 1, -2
  end
  return now - slot.used > STALE_MS and 1 or 3, slot.used
end

local chosen, best
for number = 0, count - 1 do
  local slot = slots[number]
  if slot then
    forget_gone(slot)
    if find_holder(slot) then
      -- The reply to the first call was lost.
      return { number, (isolated and slot.owner == organization) and 1 or 0 }
    end
  end
  local first, second = rank(slot)
  -- The engine lets a generation wait for a slot that is in use.
  local sort = { slot and #slot.holders or 0, first, second }
  local is_better = not best
  for index = 1, 3 do
    if best and sort[index] ~= best[index] then
      is_better = sort[index] < best[index]
      break
    end
  end
  if is_better then
    chosen, best = number, sort
  end
end

if organization == CHECK and best[1] > 0 then
  return { -1, 0 }
end

local slot = slots[chosen] or { settled = 0, owner = NOBODY, holders = {} }
local reuse = isolated and slot.owner == organization
local records = isolated and now >= slot.settled and now >= born + SETTLE_MS
if not reuse then
  slot.owner = NOBODY
end
for _, holder in ipairs(slot.holders) do
  if holder.organization ~= organization then
    records = false
    forbid_records(slot)
    break
  end
end
slot.used, slot.prefix, slot.head, slot.changed = now, prefix, head, true
table.insert(slot.holders, {
  process = process, ticket = ticket, organization = organization, records = records,
})
slots[chosen] = slot
for number, each in pairs(slots) do
  if each.changed then
    write(number, each)
  end
end
return { chosen, reuse and 1 or 0 }
