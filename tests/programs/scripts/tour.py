# Builtins, json, re, sorting, floats, big integers, generators, exceptions, threads.
import json, re, threading, functools, itertools, collections, hashlib, math, struct, zlib
print(json.dumps({"b": [1, 2.5, None, True], "a": {"nested": "\u20ac"}}, sort_keys=True))
print(json.loads('{"x": [1e3, -0.0, "s"]}'))
text = " ".join("word%d" % (i * 7 % 13) for i in range(300))
count = collections.Counter(re.findall(r"\w+", text))
print(sorted(count.items(), key=lambda p: (-p[1], p[0]))[:4])
print(re.sub(r"(\d+)", lambda m: str(int(m.group(1)) * 2), "a1 b22 c333"))
print(0.1 + 0.2, 1e16, 1e-7, 1 / 3, float("inf"), 2.5 .__round__(), "%.3f %e %g" % (math.pi, 12345.6, 1e-10))
print(2 ** 200, math.factorial(40) // 7 ** 10, -7 // 2, -7 % 3, divmod(10 ** 30, 12345))
print(f"{math.sin(1)!r} {math.exp(1)} {math.log(10):.12f} {255:#x} {1234567.891:,.2f} {'mid':^9}|")
class Node:
    def __init__(self, value): self.value = value
    def __repr__(self): return f"Node({self.value})"
    def __lt__(self, other): return self.value < other.value
print(sorted([Node(3), Node(1), Node(2)]), max([Node(4), Node(9)]))
def squares(n):
    for i in range(n): yield i * i
print(list(itertools.islice(squares(100), 3, 8)), sum(squares(50)), functools.reduce(lambda a, b: a * b, range(1, 10)))
try:
    {}["absent"]
except KeyError as e:
    print("caught", repr(e))
total, lock = [0], threading.Lock()
def work(n):
    for i in range(n):
        with lock: total[0] += i
threads = [threading.Thread(target=work, args=(50 * k,)) for k in range(1, 4)]
for t in threads: t.start()
for t in threads: t.join()
print(total[0])
print(hashlib.sha256(b"samovar" * 100).hexdigest(), hashlib.md5(b"").hexdigest())
packed = struct.pack("<IhdQ", 7, -2, 1.5, 2 ** 60)
print(packed.hex(), struct.unpack("<IhdQ", packed))
data = bytes(range(256)) * 20
print(zlib.crc32(data), len(zlib.compress(data)), zlib.decompress(zlib.compress(data)) == data)
print("é".encode(), bytes([65, 200]).decode("latin-1"), "straße".upper(), "ab" * 3, [1, 2, 3][::-1])
import sys
print(sys.version_info[0], file=sys.stderr)
sys.exit(4)
