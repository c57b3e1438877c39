# Word statistics of the input, number formatting, string functions, arrays, printf.
{
    for (i = 2; i <= NF; i++) {
        count[length($i)]++
        total += length($i)
        if (substr($i, 1, 1) == "q") q = q " " toupper($i)
    }
    fields += NF
}
NR % 500 == 0 { print NR, $1, NF, total }
END {
    for (n = 1; n <= 12; n++) printf "%2d %6d %8.3f%%\n", n, count[n], 100 * count[n] / (fields - NR)
    print substr(q, 1, 200)
    s = "the quick brown fox"
    gsub(/[aeiou]/, "<&>", s)
    print s, index(s, "quick"), match(s, /b.*n/), RSTART, RLENGTH
    n = split("a:b:c:d", part, ":")
    for (i = n; i > 0; i--) printf "%s ", part[i]
    print int(3.9), sqrt(2), exp(1), log(10), sin(1), cos(1), atan2(1, 2), 2 ^ 0.5
    print 1e6, 1e-5, 0.1 + 0.2, 100000 * 100000, 1 / 3
    x = 1
    do { x *= 3 } while (x < 1000)
    print x, x % 7, -x
    printf "%c%c %s %d %o %x %e %g\n", 65, "BCD", "str", 3.99, 64, 255, 12345.678, 0.0001
}
