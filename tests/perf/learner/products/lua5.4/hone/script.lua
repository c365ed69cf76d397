-- What scripts do: tables, strings, closures, numbers; the same output on every run.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end

local function words(n)
  local seed, counts = 42, {}
  for _ = 1, n do
    seed = (seed * 1103515245 + 12345) % 2147483648
    local word = string.format("w%d", seed % 997)
    counts[word] = (counts[word] or 0) + 1
  end
  local sorted = {}
  for word, count in pairs(counts) do sorted[#sorted + 1] = word .. "=" .. count end
  table.sort(sorted)
  return #table.concat(sorted, ",")
end

local function queens(n)
  local found, columns, up, down = 0, {}, {}, {}
  local function place(row)
    if row > n then found = found + 1 return end
    for c = 1, n do
      if not (columns[c] or up[row + c] or down[row - c + n]) then
        columns[c], up[row + c], down[row - c + n] = true, true, true
        place(row + 1)
        columns[c], up[row + c], down[row - c + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return found
end

local text = string.rep("the quick brown fox jumps over the lazy dog ", 400)
local changed = 0
for _ = 1, 60 do
  local _, n = text:gsub("%w+", function(word) return word:upper():reverse() end)
  changed = changed + n
end
print(fib(28), sieve(1500000), words(250000), queens(8), changed)
