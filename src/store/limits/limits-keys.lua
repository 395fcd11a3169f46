-- The limits of API keys; the third part of limits.lua. A key without limits is not read. Keys that
-- replace each other have the same limits and count them in one hash, here called a book. It
-- expires when its keys were not used for as long as the organization's limits or funds are kept.

-- By their numbers in the arguments, and by the ids they count under.
local api_keys, books = {}, {}

-- What a fresh identity says was posted. Stored even if nothing is admitted, or a key without
-- anything left would be read from PostgreSQL with every request.
local function add_posted(book, posted, month)
  if not book.month then
    local current = utc_month(now)
    book.month = math.max(current, math.min(month, utc_month(now + DAY)))
    book.spent = month >= current and posted or 0
    book.changed = true
  elseif month == book.month then
    book.spent = math.max(book.spent, posted)
  end
end

local function read_book(i)
  local book = { name = KEYS[6] .. ARGV[i], per_minute = tonumber(ARGV[i + 2]) }
  if ARGV[7] ~= '0' then
    book.limit = tonumber(ARGV[i + 3])
  end
  if not book.per_minute and not book.limit then
    return nil
  end
  local found = redis.call('HMGET', book.name, 'at', 'debt', 'reserved', 'spent', 'month')
  local latest = read_latest(book.name, found[1])
  book.at = math.max(now, latest)
  book.late = book.at - now
  book.debt =
    math.max(0, (tonumber(found[2]) or 0) - (book.per_minute or 0) * (book.at - latest))
  book.reserved = tonumber(found[3]) or 0
  book.spent = tonumber(found[4])
  book.month = tonumber(found[5])
  enter_month(book, book.name, 'month')
  if fresh and book.limit then
    add_posted(book, tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5]))
  end
  return book
end

for i = FIRST_KEY, FIRST - 1, PER_KEY do
  local id = ARGV[i]
  books[id] = books[id] or read_book(i)
  api_keys[#api_keys + 1] = { expires = tonumber(ARGV[i + 1]), book = books[id] }
end

local function has_expired(api_key)
  return api_key and api_key.expires and api_key.expires <= now
end

-- Counts an admitted request.
local function add_to_book(book, reserve)
  book.debt = book.debt + MINUTE
  if book.limit then
    book.reserved = book.reserved + reserve
  end
  book.changed = true
end

local function write_book(book)
  local fields = {}
  local function add(name, number)
    fields[#fields + 1] = name
    fields[#fields + 1] = digits(number)
  end
  if book.per_minute then
    add('at', book.at)
    add('debt', book.debt)
  end
  if book.month then
    add('reserved', book.reserved)
    add('spent', book.spent)
    add('month', book.month)
  end
  if #fields > 0 then
    redis.call('HSET', book.name, unpack(fields))
    redis.call('PEXPIRE', book.name, digits(book.month and KEEP_FUNDS or KEEP))
  end
end
