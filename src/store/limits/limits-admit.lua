-- Decides the requests in order, then writes what has changed; the last part of limits.lua.

local reply = { 1, until_midnight }
local admitted, opened = false, false
for i = FIRST, #ARGV, PER_REQUEST do
  local tokens, id = tonumber(ARGV[i]), ARGV[i + 1]
  local priced = id ~= '' and ARGV[7] ~= '0'
  local api_key = api_keys[tonumber(ARGV[i + 7])]
  local book = api_key and api_key.book
  violated, never, wait = 0, 0, 0
  if has_expired(api_key) then
    violated = 512
  elseif priced then
    violated = check_funds(i, book)
  end
  if violated == 0 then
    check_minute(1, request_debt, 1, requests_per_minute, behind)
    check_day(2, requests_today, 1, requests_per_day)
    check_minute(4, token_debt, tokens, tokens_per_minute, behind)
    check_day(8, tokens_today, tokens, tokens_per_day)
    if book and book.per_minute then
      check_minute(16, book.debt, 1, book.per_minute, book.late)
    end
    if id ~= '' then
      check_caps(i)
    end
  end
  local already_open = false
  if id ~= '' then
    if violated == 0 then
      already_open = redis.call('HSETNX', KEYS[3], id, ARGV[i + 2]) == 0
      opened = true
    else
      already_open = redis.call('HEXISTS', KEYS[3], id) == 1
    end
  end
  if already_open then
    violated, never, wait = 0, 0, 0
  elseif violated == 0 then
    admitted = true
    request_debt = request_debt + MINUTE
    requests_today = requests_today + 1
    token_debt = token_debt + tokens * MINUTE
    tokens_today = tokens_today + tokens
    local reserve = tonumber(ARGV[i + 3])
    if book then
      add_to_book(book, reserve)
    end
    if id ~= '' then
      start_running(i)
    end
    if priced then
      local project = projects[ARGV[i + 4]]
      funds_changed = true
      reserved = reserved + reserve
      project.reserved = project.reserved + reserve
      project.changed = true
    end
  end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = violated, never, wait
  reply[n + 4] = left_this_minute(request_debt, requests_per_minute)
  reply[n + 5] = until_full(request_debt, requests_per_minute, behind)
  reply[n + 6] = math.max(0, requests_per_day - requests_today)
  reply[n + 7] = left_this_minute(token_debt, tokens_per_minute)
  reply[n + 8] = until_full(token_debt, tokens_per_minute, behind)
  reply[n + 9] = math.max(0, tokens_per_day - tokens_today)
  reply[n + 10] = clocks[ARGV[i + 9]] or 0
  reply[n + 11] = running[organization .. ':model:' .. ARGV[i + 9]] or 0
end

if admitted then
  redis.call('HSET', KEYS[1], 'at', digits(at),
    'request_debt', digits(request_debt), 'token_debt', digits(token_debt),
    'requests_today', digits(requests_today), 'tokens_today', digits(tokens_today))
  local full = math.max(
    until_full(request_debt, requests_per_minute, 0), until_full(token_debt, tokens_per_minute, 0))
  redis.call('PEXPIRE', KEYS[1], digits(math.max(KEEP, full)))
  redis.call('PEXPIRE', KEYS[2], KEEP)
end
write_running()
if opened then
  redis.call('HSET', KEYS[4], ARGV[10], digits(now))
end
if funds_changed then
  local fields = { 'spent', digits(spent), 'reserved', digits(reserved) }
  local function add(name, number)
    fields[#fields + 1] = name
    fields[#fields + 1] = digits(number)
  end
  for id, project in pairs(projects) do
    if project.changed then
      add('reserved:' .. id, project.reserved)
      if project.month then
        add('spent:' .. id, project.spent)
        add('month:' .. id, project.month)
      end
    end
  end
  redis.call('HSET', KEYS[5], unpack(fields))
  redis.call('PEXPIRE', KEYS[5], digits(KEEP_FUNDS))
end
for _, book in pairs(books) do
  if book.changed then
    write_book(book)
  end
end
return reply
