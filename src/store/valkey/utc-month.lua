-- The UTC month (YYYYMM) of a time in ms since 1970. Computed with years that begin in March, so
-- that a leap day is the last day of its year, and with eras of 400 years or 146,097 days, which
-- all have the same length. Prepended to the scripts that need it.

local function utc_month(ms)
  local day = math.floor(ms / 86400000) + 719468
  local era = math.floor(day / 146097)
  local of_era = day - era * 146097
  local year = math.floor((of_era - math.floor(of_era / 1460) + math.floor(of_era / 36524)
    - math.floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local march = math.floor((5 * of_year + 2) / 153)
  if march < 10 then
    return (year + era * 400) * 100 + march + 3
  end
  return (year + era * 400 + 1) * 100 + march - 9
end
