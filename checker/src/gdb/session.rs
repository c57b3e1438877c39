//! One gdb's session: answers its packets, one after the other.
//!
//! It begins at the end of the recording, at the instruction that goes wrong. Packets that are not
//! known get the empty answer, which means just that; writing is refused.

use super::link::{Link, LinkError};
use super::packet::{self, hex, number};
use super::resume::{self, Goal, Halt, Points, Watchpoint};
use super::{registers, threads, tls, transfer};
use crate::replay::Tape;
use crate::replay::doing::doing;
use crate::trail::Names;
use samovar_vm::machine::ThreadId;

/// Bytes of memory in one packet.
const MEMORY_MAX: u64 = 0x4000;
/// What this server can do.
const FEATURES: &str = "PacketSize=10000;QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;\
                        ReverseStep+;ReverseContinue+;qXfer:features:read+;qXfer:auxv:read+;\
                        qXfer:exec-file:read+;qXfer:threads:read+";
/// The answer to what cannot be done.
const REFUSED: &[u8] = b"E01";
/// gdb's number of the signal that stands for breakpoints and the like.
const TRAP: u32 = 5;

/// What is known of the recording beside itself.
#[derive(Debug)]
pub struct Story {
    /// The error in a sentence.
    pub message: String,
    /// The signal that the program gets at the end, in gdb's numbers; none if it just stands.
    pub signal: Option<u32>,
    /// The thread to look at first.
    pub thread: ThreadId,
    /// The steps in words, for `monitor trail`.
    pub trail: String,
    /// The program's file.
    pub file: String,
    /// The auxiliary vector.
    pub auxiliary: Vec<u8>,
}

/// See the module head.
pub struct Session<'t, 'a> {
    tape: &'t mut Tape<'a>,
    story: Story,
    names: Names,
    link: Link,
    points: Points,
    /// The thread that registers are asked of.
    thread: ThreadId,
    /// The position that was last shown as a breakpoint.
    shown: Option<u64>,
    over: bool,
}

impl<'t, 'a> Session<'t, 'a> {
    /// A session on a tape that stands at its end.
    pub fn new(tape: &'t mut Tape<'a>, story: Story, names: Names, link: Link) -> Self {
        let thread = story.thread;
        let points = Points::default();
        Session { tape, story, names, link, points, thread, shown: None, over: false }
    }

    /// Answers until gdb goes.
    pub fn serve(mut self) -> Result<(), LinkError> {
        while !self.over
            && let Some(data) = self.link.receive()?
        {
            let text = String::from_utf8_lossy(&data).into_owned();
            if let Some(answer) = self.answer(&text)? {
                self.link.send(&answer)?;
            }
            if text == "QStartNoAckMode" {
                self.link.acknowledges = false;
            }
        }
        Ok(())
    }

    /// The answer to a packet; none if there is to be none.
    fn answer(&mut self, text: &str) -> Result<Option<Vec<u8>>, LinkError> {
        let rest = text.get(1..).unwrap_or_default();
        let ok = || b"OK".to_vec();
        Ok(Some(match text.as_bytes().first() {
            Some(b'?') => self.present(),
            Some(b'g') => {
                let all = registers::values(self.tape.process(), self.thread);
                all.iter().map(|value| hex(value)).collect::<String>().into_bytes()
            }
            Some(b'p') => self.register(rest).unwrap_or_else(|| REFUSED.to_vec()),
            Some(b'm') => self.memory(rest).unwrap_or_else(|| REFUSED.to_vec()),
            Some(b'G' | b'P' | b'M' | b'X') => REFUSED.to_vec(),
            Some(b'H') => {
                self.thread = threads::parse(&rest[1..]).unwrap_or(self.thread);
                ok()
            }
            Some(b'T') => match threads::parse(rest) {
                Some(thread) if threads::alive(self.tape.process()).contains(&thread) => ok(),
                _ => REFUSED.to_vec(),
            },
            Some(b'Z') => self.set_point(rest, true),
            Some(b'z') => self.set_point(rest, false),
            Some(b'c' | b'C') => self.go_on(&Goal::Anything)?,
            Some(b's' | b'S') => self.go_on(&Goal::Step(self.thread))?,
            Some(b'b') => self.go_back(rest)?,
            Some(b'D') => {
                self.over = true;
                ok()
            }
            Some(b'k') => {
                self.over = true;
                return Ok(None);
            }
            Some(b'v') => return self.multi_letter(text),
            Some(b'q' | b'Q') => self.query(text),
            _ => Vec::new(),
        }))
    }

    fn multi_letter(&mut self, text: &str) -> Result<Option<Vec<u8>>, LinkError> {
        if text == "vCont?" {
            return Ok(Some(b"vCont;c;C;s;S;r".to_vec()));
        }
        if text.starts_with("vKill") {
            self.over = true;
            return Ok(Some(b"OK".to_vec()));
        }
        match text.strip_prefix("vCont;") {
            Some(actions) => {
                let goal = self.goal(actions);
                self.go_on(&goal).map(Some)
            }
            None => Ok(Some(Vec::new())),
        }
    }

    /// What `vCont` asks for: a step of some thread, or to go on.
    fn goal(&self, actions: &str) -> Goal {
        for action in actions.split(';') {
            let (what, thread) = action.split_once(':').unwrap_or((action, ""));
            let thread = threads::parse(thread).unwrap_or(self.thread);
            match what.as_bytes().first() {
                Some(b's' | b'S') => return Goal::Step(thread),
                Some(b'r') => {
                    let range = what[1..].split_once(',');
                    let range = range.and_then(|(from, to)| Some(number(from)?..number(to)?));
                    return range.map_or(Goal::Step(thread), |range| Goal::Leave(thread, range));
                }
                _ => {}
            }
        }
        Goal::Anything
    }

    fn query(&mut self, text: &str) -> Vec<u8> {
        let (name, rest) = text.split_once([':', ',']).unwrap_or((text, ""));
        let process = self.tape.process();
        match name {
            "qSupported" => FEATURES.into(),
            "QStartNoAckMode" => b"OK".to_vec(),
            "qAttached" => b"1".to_vec(),
            "qC" => format!("QC{}", threads::id(self.thread)).into_bytes(),
            "qfThreadInfo" => {
                let all: Vec<String> =
                    threads::alive(process).into_iter().map(threads::id).collect();
                format!("m{}", all.join(",")).into_bytes()
            }
            "qsThreadInfo" => b"l".to_vec(),
            "qThreadExtraInfo" => match threads::parse(rest) {
                Some(thread) => hex(doing(process, &self.names, thread).as_bytes()).into(),
                None => REFUSED.to_vec(),
            },
            "qGetTLSAddr" => self.thread_local(rest).unwrap_or_else(|| REFUSED.to_vec()),
            "qXfer" => self.transfer(rest).unwrap_or_default(),
            "qRcmd" => self.command(rest),
            _ => Vec::new(),
        }
    }

    fn transfer(&self, rest: &str) -> Option<Vec<u8>> {
        let mut words = rest.splitn(4, ':');
        let (object, _, annex, wanted) =
            (words.next()?, words.next()?, words.next()?, words.next()?);
        let whole = match (object, annex) {
            ("features", "target.xml") => registers::description().into_bytes(),
            ("auxv", _) => self.story.auxiliary.clone(),
            ("exec-file", _) => self.story.file.clone().into_bytes(),
            ("threads", _) => threads::list(self.tape.process(), &self.names).into_bytes(),
            _ => return None,
        };
        transfer::piece(&whole, wanted)
    }

    /// `monitor`: what the user asks of the server itself.
    fn command(&self, digits: &str) -> Vec<u8> {
        let command = packet::unhex(digits).unwrap_or_default();
        let text = match String::from_utf8_lossy(&command).trim() {
            "error" => format!("{}\n", self.story.message),
            "trail" => self.story.trail.clone(),
            "where" => self.position(),
            _ => "monitor error: what goes wrong; monitor trail: the steps that lead there; \
                  monitor where: how far the execution is\n"
                .to_string(),
        };
        hex(text.as_bytes()).into_bytes()
    }

    fn position(&self) -> String {
        let (at, end) = (self.tape.at(), self.tape.end());
        let part = self.tape.part_at(at).map(|part| &self.tape.parts()[part]);
        let step = match part {
            None => "at the end".to_string(),
            Some(part) => match part.choice() {
                Some(choice) => format!("in step {} of the trail", choice + 1),
                None if part.first == 0 || at < end / 2 => "before the first step".to_string(),
                None => "behind the last step of the trail".to_string(),
            },
        };
        format!("instruction {at} of {end}, {step}\n")
    }

    fn register(&self, digits: &str) -> Option<Vec<u8>> {
        let all = registers::values(self.tape.process(), self.thread);
        Some(hex(all.get(number(digits)? as usize)?).into_bytes())
    }

    /// Memory, as much of it as is mapped from the address on.
    fn memory(&self, rest: &str) -> Option<Vec<u8>> {
        let (addr, len) = rest.split_once(',')?;
        let (addr, len) = (number(addr)?, number(len)?.min(MEMORY_MAX));
        let memory = &self.tape.process().machine.memory;
        if let Ok(bytes) = memory.slice(addr, len) {
            return Some(hex(bytes).into_bytes());
        }
        let page_end = (addr | (samovar_vm::memory::PAGE_SIZE - 1)).checked_add(1)?;
        let bytes = memory.slice(addr, len.min(page_end - addr)).ok()?;
        Some(hex(bytes).into_bytes())
    }

    fn thread_local(&self, rest: &str) -> Option<Vec<u8>> {
        let mut words = rest.split(',');
        let thread = threads::parse(words.next()?)?;
        let (offset, record) = (number(words.next()?)?, number(words.next()?)?);
        let addr = tls::address(self.tape.process(), thread, offset, record)?;
        Some(format!("{addr:x}").into_bytes())
    }

    fn set_point(&mut self, rest: &str, on: bool) -> Vec<u8> {
        let mut words = rest.split(',');
        let kind = words.next().unwrap_or_default();
        let numbers: Vec<u64> = words.map_while(|word| number(word.split(';').next()?)).collect();
        let &[addr, len] = numbers.as_slice() else { return REFUSED.to_vec() };
        let kind = match kind {
            "0" | "1" => {
                if on {
                    self.points.breakpoints.insert(addr);
                } else {
                    self.points.breakpoints.remove(&addr);
                }
                return b"OK".to_vec();
            }
            "2" => "watch",
            "3" => "rwatch",
            "4" => "awatch",
            _ => return Vec::new(),
        };
        let point = Watchpoint { kind, addr, len };
        self.points.watchpoints.retain(|known| *known != point);
        if on {
            self.points.watchpoints.push(point);
        }
        b"OK".to_vec()
    }

    fn go_on(&mut self, goal: &Goal) -> Result<Vec<u8>, LinkError> {
        let was_over = self.tape.at() == self.tape.end();
        let fresh = self.shown != Some(self.tape.at()) && *goal == Goal::Anything;
        let fresh = fresh && self.tape.actor() != Some(self.thread);
        let halt = resume::forward(self.tape, &self.points, goal, fresh, &mut self.link);
        if halt == Halt::End && !was_over {
            let text = format!("samovar: {}\n", self.story.message);
            self.link.send(format!("O{}", hex(text.as_bytes())).as_bytes())?;
            self.thread = self.story.thread;
            if self.story.signal.is_some() {
                return Ok(self.present());
            }
        }
        Ok(self.halted(halt))
    }

    fn go_back(&mut self, rest: &str) -> Result<Vec<u8>, LinkError> {
        let halt = match rest {
            "s" => resume::step_back(self.tape, self.thread),
            "c" => resume::backward(self.tape, &self.points, &mut self.link),
            _ => return Ok(Vec::new()),
        };
        Ok(self.halted(halt))
    }

    /// The answer about the present position, without a reason of its own.
    fn present(&self) -> Vec<u8> {
        let is_end = self.tape.at() == self.tape.end();
        match self.story.signal.filter(|_| is_end) {
            Some(signal) => self.stop(signal, ""),
            None => self.stop(TRAP, ""),
        }
    }

    fn halted(&mut self, halt: Halt) -> Vec<u8> {
        let (thread, reason) = match halt {
            Halt::Stepped(thread) => (thread, String::new()),
            Halt::Breakpoint(thread) => {
                self.shown = Some(self.tape.at());
                (thread, "swbreak:;".to_string())
            }
            Halt::Watched(thread, kind, addr) => (thread, format!("{kind}:{addr:x};")),
            Halt::Interrupted => {
                const INTERRUPT: u32 = 2;
                return self.stop(INTERRUPT, "");
            }
            Halt::End => (self.thread, "replaylog:end;".to_string()),
            Halt::Begin => (ThreadId(0), "replaylog:begin;".to_string()),
        };
        self.thread = thread;
        self.stop(TRAP, &reason)
    }

    fn stop(&self, signal: u32, reason: &str) -> Vec<u8> {
        let alive = threads::alive(self.tape.process());
        let thread = if alive.contains(&self.thread) { self.thread } else { alive[0] };
        format!("T{signal:02x}{reason}thread:{};", threads::id(thread)).into_bytes()
    }
}
