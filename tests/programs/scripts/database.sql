CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO item SELECT i, printf('item-%04d', i), (i * 37 % 1000) / 8.0, i % 7 FROM n;
CREATE INDEX by_kind ON item(kind, price);
CREATE TABLE kind(id INTEGER PRIMARY KEY, label TEXT UNIQUE);
INSERT INTO kind VALUES (0, 'zero'), (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five');
SELECT k.label, count(*), round(avg(price), 3), min(name), max(price)
  FROM item i LEFT JOIN kind k ON k.id = i.kind GROUP BY i.kind ORDER BY 2 DESC, 1;
SELECT name, price, rank() OVER (PARTITION BY kind ORDER BY price DESC, id) AS r,
       sum(price) OVER (ORDER BY id ROWS 3 PRECEDING) FROM item WHERE id < 25 ORDER BY id;
UPDATE item SET price = price * 1.1 WHERE kind IN (SELECT id FROM kind WHERE label LIKE 't%');
DELETE FROM item WHERE id % 3 = 0;
SELECT count(*), total(price), group_concat(DISTINCT kind) FROM item;
SELECT json_group_array(json_object('id', id, 'name', name)) FROM item WHERE id < 8;
SELECT json_extract('{"a":[1,2,{"b":3.5}]}', '$.a[2].b'), json_array_length('[1,2,3]');
WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib WHERE b < 1e15)
SELECT max(a) FROM fib;
CREATE TRIGGER audit AFTER INSERT ON kind BEGIN UPDATE item SET name = new.label WHERE id = 1; END;
INSERT INTO kind VALUES (6, 'six');
SELECT name, hex(name), upper(name), substr(name, 2), typeof(price), price FROM item WHERE id = 1;
SELECT date('2024-02-28', '+2 days'), strftime('%j %w', '2024-12-31'), julianday('2000-01-01');
BEGIN; DELETE FROM item; ROLLBACK;
SELECT count(*), quote(x'c0ffee'), 7 / 2, 7 / 2.0, 10 % 3, 1 << 40, abs(-5.5) FROM item;
INSERT INTO kind VALUES (7, 'six');
EXPLAIN QUERY PLAN SELECT * FROM item WHERE kind = 3 AND price > 50;
PRAGMA integrity_check;
