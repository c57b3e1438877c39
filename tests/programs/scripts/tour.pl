# Regular expressions, sorting, hashes, sprintf, pack, closures, files in memory, big strings.
use strict;
use warnings;
my %count;
my $text = join ' ', map { ("the", "quick", "brown", "fox")[$_ * 7 % 4] . $_ % 5 } 1 .. 500;
$count{$1}++ while $text =~ /(\w+)/g;
print "$_=$count{$_} " for sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "\n";
(my $swapped = "2024-02-29") =~ s/(\d+)-(\d+)-(\d+)/$3.$2.$1/;
printf "%s %05.2f %e %g %x %o %b %s|%-6s|%6s\n", $swapped, 3.14159, 12345.678, 1e21, 255, 8, 5, "s", "l", "r";
print join(",", unpack("A3 n N C*", pack("A3 n N C*", "abc", 258, 16909060, 1, 2, 3))), "\n";
my @sorted = sort { $a <=> $b } map { $_ * 7919 % 1000 } 1 .. 200;
print "@sorted[0..9] $#sorted\n";
sub make_counter { my $n = shift; return sub { return $n++ } }
my $c = make_counter(5);
$c->() for 1 .. 3;
print $c->(), " ", ucfirst(lc "HELLO"), " ", reverse(1 .. 5), " ", scalar reverse("abc"), "\n";
my $nested = { list => [1, 2, { deep => "value" }], code => sub { return "called @_" } };
print $nested->{list}[2]{deep}, " ", $nested->{code}->(1, 2), " ", scalar @{ $nested->{list} }, "\n";
print "match: $&, before: $`\n" if "some text here" =~ /t\w+t/;
print join("|", split(/\s*[,;]\s*/, "a, b;c ,d")), "\n";
eval { die { code => 42 } };
print "caught $@->{code}\n";
eval { my $x = 1 / ($text eq "" ? 1 : 0) };
print "error: $@";
open my $memory, '<', \"line one\nline two\n";
while (<$memory>) { chomp; print "$.:$_ " }
print sprintf("%.10f %s %s", atan2(1, 1) * 4, 10 ** 20, 2 ** 0.5), " ", int(-7 / 2), " ", -7 % 3, "\n";
my $tr = ($text =~ tr/a-z//);
print "$tr ", length $text, " ", join(",", (sort keys %count)[0 .. 2]), "\n";
print "ok\n" if "foobar" =~ /^(?<first>foo)(?=bar)/ && $+{first} eq "foo";
my $long = "x" x 100000;
$long =~ s/x{10}/y/g;
print length($long), " ", substr($long, 0, 5), " ", sprintf("%vd", "1.22.333"), "\n";
print STDERR "to stderr\n";
exit 5;
