-- Sorting, patterns, numbers, closures, coroutines, garbage: prints what it computed.
local seed = 42
local function random()
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed
end
local list = {}
for i = 1, 20000 do list[i] = random() end
table.sort(list)
print(list[1], list[10000], list[20000])
local words, text = {}, {}
for i = 1, 5000 do text[i] = string.format("%x:%d", random(), i % 17) end
for key, value in table.concat(text, " "):gmatch("(%x+):(%d+)") do
  words[value] = (words[value] or 0) ~ tonumber(key, 16)
end
for i = 0, 16 do io.write(words[tostring(i)], " ") end
print()
local function primes(limit)
  return coroutine.wrap(function()
    for n = 2, limit do
      local prime = true
      for d = 2, math.floor(math.sqrt(n)) do
        if n % d == 0 then prime = false break end
      end
      if prime then coroutine.yield(n) end
    end
  end)
end
local sum = 0
for p in primes(20000) do sum = sum + p end
print(sum, math.pi * sum, 7 // 2, -7 // 2, -7 % 3, 1 << 40, 2 ^ 0.5)
local weak = setmetatable({}, {__mode = "v"})
for i = 1, 1000 do weak[i] = {i} end
collectgarbage()
print(next(weak), pcall(error, "caught"), select("#", table.unpack(list, 1, 100)))
print(load("return " .. ("1+"):rep(100) .. "1")(), string.pack(">i4", 77):byte(1, -1))
print(utf8.char(228, 8364, 128512), #utf8.char(128512), os.date("!%F %T", 1577880000))
