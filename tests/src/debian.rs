//! Programs from Debian, unmodified, with inputs and arguments: the list that the tests compare
//! with the native run, and that `debian-table` prints for the report.
//!
//! A case must print the same natively every time: no process ids, times, addresses or random
//! hash orders in the output. Pipelines and command substitution are out, as they fork.

use crate::build::programs;
use crate::child::Job;
use crate::directives::lines;
use crate::tool::need;

/// One program with one input.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name shown in tables; the first word is the program.
    pub name: String,
    /// Part of the quick selection.
    pub quick: bool,
    /// The native job.
    pub job: Job,
}

/// A read-only directory that every machine with a C compiler has.
const DIRECTORY: &str = "/usr/include/linux/byteorder";

/// The list under construction; missing programs are left out (and have been announced).
struct List {
    cases: Vec<Case>,
    all: bool,
}

impl List {
    fn add(&mut self, quick: bool, program: &str, label: &str, args: &[&str], stdin: &[u8]) {
        if !quick && !self.all {
            return;
        }
        if let Some(path) = need(program) {
            let base = program.rsplit('/').next().unwrap_or(program);
            let name = format!("{base} {label}").trim_end().to_string();
            let job = Job::new(&path, args).stdin(stdin);
            self.cases.push(Case { name, quick, job });
        }
    }

    fn quick(&mut self, program: &str, label: &str, args: &[&str], stdin: &[u8]) {
        self.add(true, program, label, args, stdin);
    }

    fn slow(&mut self, program: &str, label: &str, args: &[&str], stdin: &[u8]) {
        self.add(false, program, label, args, stdin);
    }

    /// A compressor and, on the native compressor's output, its decompressor.
    fn round_trip(&mut self, quick: bool, program: &str, pack: &[&str], unpack: &[&str], n: u32) {
        if !quick && !self.all {
            return;
        }
        let Some(path) = need(program) else { return };
        let label = pack.join(" ");
        self.add(quick, program, &label, pack, &lines(n));
        let packed = Job::new(&path, pack).stdin(lines(n)).run();
        assert!(packed.status.success(), "{program} {label} works natively");
        self.add(quick, program, &unpack.join(" "), unpack, &packed.stdout);
    }
}

fn script(name: &str) -> String {
    let path = programs().join("scripts").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The quick cases, or all of them, in the order of the table.
pub fn cases(all: bool) -> Vec<Case> {
    let mut list = List { cases: Vec::new(), all };
    busybox(&mut list);
    interpreters(&mut list);
    databases_and_calculators(&mut list);
    compressors(&mut list);
    core_utilities(&mut list);
    toolchain(&mut list);
    list.cases
}

fn busybox(list: &mut List) {
    let text = lines(2000);
    let b = "busybox";
    list.quick(b, "sh", &["sh", "-c", &script("shell.sh")], b"");
    list.quick(b, "awk", &["awk", &script("words.awk")], &text);
    list.quick(b, "sort", &["sort", "-k2"], &text);
    list.quick(b, "sort -n", &["sort", "-rn"], &text);
    list.quick(b, "sha256sum", &["sha256sum"], &text);
    list.quick(b, "md5sum", &["md5sum"], &text);
    list.quick(b, "sed", &["sed", "-n", "-e", "s/\\([a-m]*\\) /<\\1>/gp;/99/=;$p"], &text);
    list.quick(b, "grep", &["grep", "-n", "-E", "^[0-9]*[13579] (qu|x[a-f]+)"], &text);
    list.quick(b, "cut", &["cut", "-d ", "-f", "1,3-4"], &text);
    list.quick(b, "tr", &["tr", "a-y", "b-z"], &text);
    list.quick(b, "wc", &["wc"], &text);
    list.quick(b, "seq", &["seq", "-w", "1", "7", "400"], b"");
    list.quick(b, "expr", &["expr", "(", "7", "+", "5", ")", "*", "-3"], b"");
    list.quick(b, "find", &["find", DIRECTORY], b"");
    list.quick(b, "ls", &["ls", "-1", DIRECTORY], b"");
    list.quick(b, "base64", &["base64"], &text);
    list.quick(b, "od", &["od", "-tx1c"], &text[..3000]);
    list.quick(b, "uniq", &["uniq", "-c", "-f", "1"], &text);
    list.quick(b, "bc", &["bc", "-l"], b"scale=30; 4*a(1); sqrt(2); e(1)\n");
    list.quick(b, "printf", &["printf", "%d %s %.3f %x\\n", "42", "word", "2.5", "255"], b"");
    list.quick(b, "no such applet", &["no-such-applet"], b"");
    list.round_trip(true, b, &["gzip", "-c"], &["gunzip", "-c"], 3000);
    list.slow(b, "bunzip2", &["bunzip2", "-c"], &native(&["bzip2", "-c"], b, &lines(3000)));
    list.slow(b, "unxz", &["unxz", "-c"], &native(&["-c"], "xz", &lines(3000)));
    list.slow(b, "sha512sum", &["sha512sum"], &lines(20_000));
    list.slow(b, "cksum", &["cksum"], &lines(20_000));
    list.slow(b, "diff", &["diff", "/usr/include/stdio.h", "/usr/include/stdlib.h"], b"");
}

/// The output of a program run natively.
fn native(args: &[&str], program: &str, input: &[u8]) -> Vec<u8> {
    need(program).map_or(Vec::new(), |path| Job::new(&path, args).stdin(input).run().stdout)
}

fn interpreters(list: &mut List) {
    list.quick("dash", "script", &["-c", &script("shell.sh")], b"");
    list.slow("bash", "script", &["--norc", "-c", &script("shell.sh")], b"");
    list.quick("lua5.4", "script", &["-"], script("tour.lua").as_bytes());
    list.quick("mawk", "script", &[&script("words.awk")], &lines(2000));
    list.slow("gawk", "script", &[&script("words.awk")], &lines(2000));
    list.quick("perl", "script", &["-e", &script("tour.pl")], b"");
    list.slow("perl", "modules", &["-MList::Util=sum", "-MPOSIX", "-e", PERL_MODULES], b"");
    list.quick("/usr/bin/python3", "-c 1+1", &["-I", "-S", "-c", "print(1 + 1)"], b"");
    list.slow("/usr/bin/python3", "script", &["-I", "-S", "-c", &script("tour.py")], b"");
    list.slow(
        "/usr/bin/python3",
        "with site",
        &["-I", "-c", "import sys; print(sys.maxsize)"],
        b"",
    );
    // Hash orders are random unless told otherwise.
    for case in list.cases.iter_mut().filter(|case| case.name.starts_with("perl")) {
        case.job = case.job.clone().env("PERL_HASH_SEED", "0").env("PERL_PERTURB_KEYS", "0");
    }
}

const PERL_MODULES: &str =
    "print sum(1..100), ' ', floor(-2.5), ' ', strftime('%F', gmtime 0), qq(\\n)";

const JQ: &str = "[.[] | select(.n % 3 == 0) | .s |= ascii_upcase] | sort_by(.s) | .[:5], length";

const DC: &[u8] = b"20k 2v p 2 200^ p [la1+dsa*pla10>y]sy 0sa1 lyx\n";

fn databases_and_calculators(list: &mut List) {
    list.quick("sqlite3", "memory", &[":memory:"], script("database.sql").as_bytes());
    list.quick("bc", "pi", &["-lq"], b"scale=100; 4*a(1)\n");
    list.quick(
        "bc",
        "mixed",
        &["-lq"],
        b"2^300; scale=20; e(1); l(2); s(1); for(i=0;i<9;i++) i^i\n",
    );
    list.slow("dc", "mixed", &[], DC);
    let rows: Vec<String> = (0..300)
        .map(|n| format!("{{\"n\":{n},\"s\":\"v{}\",\"x\":{}}}", n * 7 % 50, n as f64 / 8.0))
        .collect();
    list.quick("jq", "query", &["-c", JQ], format!("[{}]", rows.join(",")).as_bytes());
    list.quick("openssl", "sha256", &["dgst", "-sha256"], &lines(2000));
    list.slow("openssl", "sha3-512", &["dgst", "-sha3-512"], &lines(2000));
    list.slow("openssl", "aes", &["enc", "-aes-128-cbc", "-K", "00ff", "-iv", "01"], &lines(500));
}

fn compressors(list: &mut List) {
    list.round_trip(true, "gzip", &["-nc"], &["-dc"], 3000);
    list.round_trip(true, "xz", &["-1c"], &["-dc"], 3000);
    list.round_trip(true, "xz", &["-1c", "-T2", "--block-size=40KiB"], &["-dc", "-T2"], 3000);
    list.round_trip(true, "pigz", &["-nc", "-p", "4", "-b", "128"], &["-dc"], 12_000);
    list.round_trip(true, "pbzip2", &["-c", "-p4", "-b1"], &["-dc", "-p4"], 8_000);
    list.round_trip(false, "xz", &["-6c"], &["-dc"], 20_000);
    list.round_trip(false, "bzip2", &["-c"], &["-dc"], 10_000);
    list.round_trip(false, "zstd", &["-c", "-T2"], &["-dc"], 20_000);
    list.round_trip(false, "pigz", &["-nc", "-9", "-p", "8", "-b", "128"], &["-dc"], 60_000);
    list.round_trip(false, "pbzip2", &["-c", "-p8", "-b1"], &["-dc", "-p8"], 60_000);
}

fn core_utilities(list: &mut List) {
    let text = lines(2000);
    list.quick("sort", "-k2", &["-k2"], &text);
    list.slow("sort", "--parallel=4", &["--parallel=4", "-S1M", "-rn"], &lines(50_000));
    list.quick("sha256sum", "", &[], &text);
    list.quick(
        "factor",
        "",
        &["123456789012345678", "97", "1000000016000000063", "600851475143"],
        b"",
    );
    list.quick("seq", "", &["-f", "%.3g", "1", "0.25", "50"], b"");
    list.quick("od", "", &["-A", "d", "-t", "x2z"], &text[..5000]);
    list.quick("cat", "", &["-n"], &text);
    list.quick("wc", "", &[], &text);
    list.quick("ls", "", &["-l", "--time-style=+%s", DIRECTORY], b"");
    list.quick("grep", "-c", &["-c", "[aeiou]\\{3\\}"], &text);
    list.quick("sed", "", &["s/\\w\\+$/[&]/;3~100!d"], &text);
    list.quick("echo", "", &["hello", "there"], b"");
    list.quick("false", "", &[], b"");
    list.slow("md5sum", "", &[], &lines(30_000));
    list.slow("b2sum", "", &[], &lines(30_000));
    list.slow("cksum", "", &[], &text);
    list.slow("base64", "", &[], &text);
    list.slow("uniq", "", &["-c", "-w", "2"], &text);
    list.slow("tac", "", &[], &text);
    list.slow("fmt", "", &["-w", "60"], &text);
    list.slow("nl", "", &[], &text);
    list.slow("numfmt", "", &["--to=iec", "1234567", "999"], b"");
    list.slow("date", "", &["-u", "-d", "@1700000000", "+%F %T %A %j %V"], b"");
    list.slow("find", "", &[DIRECTORY, "-name", "*.h", "-size", "+0"], b"");
    list.slow("stat", "", &["-c", "%s %a %F %n", "/usr/include/stdio.h", DIRECTORY], b"");
    list.slow("diff", "", &["-u", "/usr/include/stdio.h", "/usr/include/wchar.h"], b"");
    list.slow("grep", "-P", &["-P", "(?<=q)u\\w+", "-o"], &text);
    list.slow(
        "tar",
        "",
        &["-C", "/usr/include/linux", "-cf", "-", "--sort=name", "byteorder"],
        b"",
    );
}

const CLANG_SOURCE: &[u8] = b"int f(int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }";

fn toolchain(list: &mut List) {
    let busybox = need("busybox").expect("busybox is essential").display().to_string();
    list.slow("readelf", "", &["-hlS", &busybox], b"");
    list.slow("objdump", "", &["-d", "--stop-address=0x404000", &busybox], b"");
    list.slow("nm", "", &["-D", "/lib/x86_64-linux-gnu/libm.so.6"], b"");
    list.slow("c++filt", "", &[], b"_ZNSt6vectorIiSaIiEE9push_backEOi\n_Z1fILi3EEvRKSs\n");
    let cc1 = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1";
    if std::path::Path::new(cc1).exists() {
        let source = b"#include <stdio.h>\nint main(void) { return printf(\"%d\", getchar()); }\n";
        list.slow(cc1, "-O2", &["-quiet", "-O2", "-o", "-", "-"], source);
    }
    list.slow(
        "as",
        "-a",
        &["-aln", "-o", "/dev/null", "-"],
        b"mov %rax, 8(%rbx)\nvaddps %ymm1, %ymm2, %ymm3\n",
    );
    list.slow("clang", "-cc1", &["-cc1", "-S", "-O2", "-o", "-", "-x", "c", "-"], CLANG_SOURCE);
    list.slow("git", "hash-object", &["hash-object", "--stdin"], &lines(500));
}
