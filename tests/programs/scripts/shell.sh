# Everything here is done by the shell itself: no pipes, no substitution, no other program.
i=0 sum=0
while [ $i -lt 500 ]; do sum=$((sum + i * i % 7)); i=$((i + 1)); done
printf '%d %05d %x %s|%-8s|%8.3f\n' $sum 42 255 text left 3.14159
fact() { if [ "$1" -le 1 ]; then result=1; else fact $(($1 - 1)); result=$((result * $1)); fi; }
fact 15
echo "15! = $result"
for word in alpha beta "two words" gamma; do
    case $word in
    a*) echo "starts with a: $word" ;;
    *\ *) echo "has a space: $word" ;;
    [g-z]*) echo "late: $word" ;;
    *) echo "other: $word" ;;
    esac
done
path=/usr/lib/libexample.so.6
echo "${path##*/} ${path%.so*} ${path#/usr} ${#path} ${unset:-default} ${path:+set}"
set -- one two three
shift
echo "$# $1 $* $@"
test 5 -gt 3 && test -d /usr && [ abc = abc ] && ! [ -e /nonexistent ] && echo tests
until [ $i -le 490 ]; do i=$((i - 1)); done
echo $i $((0x1f | 010)) $((1 << 40)) $((-17 % 5)) $((3 > 2 ? 7 : 8))
IFS=: read -r a b c <<EOF
first:second:third:fourth
EOF
echo "$a/$b/$c"
while read -r line; do echo "got $line"; done <<EOF
line 1
  line 2
EOF
list=
for n in 9 8 7; do list="$list $n"; done
echo $list
trap 'echo leaving' EXIT
eval 'echo evaluated $((6 * 7))'
exit 3
