-- Closures, coroutines, string library, tables, metatables, errors, integers and floats.
local function counter()
  local n = 0
  return function(by) n = n + (by or 1); return n end
end
local c = counter()
c(); c(10)
print(c(), math.type(3), math.type(3.0), 7 // 2, 7 / 2, 7 % -3, 2 ^ 10, 1 << 62, 5 // 0.0)
print(string.format("%5d|%-8s|%08.3f|%x|%q|%g", 42, "left", math.pi, 255, 'a "quote"\n', 1e15))
local words = {}
for w in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = w end
table.sort(words, function(a, b) return #a ~= #b and #a < #b or a < b end)
print(table.concat(words, ","), select("#", table.unpack(words)))
local function producer(n)
  return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * i) end return "done" end)
end
local next_square, seen = producer(5), {}
repeat local v = next_square(); seen[#seen + 1] = tostring(v) until v == "done"
print(table.concat(seen, " "))
local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, Vector) end
Vector.__tostring = function(v) return "(" .. v.x .. ", " .. v.y .. ")" end
Vector.__eq = function(a, b) return a.x == b.x and a.y == b.y end
local v = setmetatable({x = 1, y = 2.5}, Vector)
print(tostring(v + v), v + v == setmetatable({x = 2, y = 5.0}, Vector))
print(pcall(error, {code = 1}), select(2, pcall(error, "message", 0)))
print(select(2, pcall(function() local t = nil; return t.field end)))
print(("hello world"):gsub("o", "0"), ("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
local sieve, primes = {}, {}
for i = 2, 2000 do
  if not sieve[i] then
    primes[#primes + 1] = i
    for j = i * i, 2000, i do sieve[j] = true end
  end
end
print(#primes, primes[#primes], string.rep("ab", 3, "-"), ("x"):byte(), #"\u{20ac}")
local sum = 0.0
for i = 1, 20000 do sum = sum + math.sin(i) * (i % 3) end
print(string.format("%.12f", sum), math.maxinteger, math.mininteger, math.huge, -math.huge)
goto finish
print("never")
::finish::
print(string.pack("<i4", 100):byte(1, -1), load("return 6 * 7")(), os.getenv("ABSENT"))
local t = {}
for i = 1, 1000 do t[i] = {i} end
t = nil
collectgarbage()
print(collectgarbage("count") < 10000, tostring(nil), tonumber("0x1p4"), tonumber("zz", 36))
