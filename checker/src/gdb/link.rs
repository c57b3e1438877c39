//! The connection to gdb: a socket, or the standard streams if gdb has started this program.

use super::packet::{self, Incoming};
use crate::error::reason;
use crate::kernel;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// Where gdb is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// A port of this machine or of one of its interfaces; port 0 stands for any that is free.
    Socket(SocketAddr),
    /// Standard input and output.
    Pipe,
}

/// Why gdb cannot be served.
#[derive(Debug, Error)]
pub enum LinkError {
    /// The port cannot be had.
    #[error("{address}: cannot be listened to: {}; name another port with --gdb", reason(error))]
    Port {
        /// The port.
        address: SocketAddr,
        /// What the host said.
        error: io::Error,
    },
    /// The connection broke.
    #[error("the connection to gdb broke: {}", reason(.0))]
    Broken(#[from] io::Error),
}

impl FromStr for Address {
    type Err = String;

    /// `-`, `PORT`, `:PORT` or `ADDRESS:PORT`.
    fn from_str(text: &str) -> Result<Address, String> {
        if text == "-" {
            return Ok(Address::Pipe);
        }
        let complaint = || format!("`{text}` is no port, no address with a port, and no `-`");
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let port: u16 = port.parse().map_err(|_| complaint())?;
        let host = if host.is_empty() { "127.0.0.1" } else { host };
        let mut found = (host, port).to_socket_addrs().map_err(|_| complaint())?;
        found.next().map(Address::Socket).ok_or_else(complaint)
    }
}

impl Default for Address {
    fn default() -> Address {
        Address::Socket(SocketAddr::from(([127, 0, 0, 1], 0)))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Socket(address) => address.fmt(f),
            Address::Pipe => f.write_str("-"),
        }
    }
}

/// See the module head.
#[derive(Debug)]
pub struct Link {
    input: File,
    output: File,
    received: Vec<u8>,
    /// Whether packets are acknowledged.
    pub acknowledges: bool,
}

impl Link {
    /// Waits for gdb; `ready` is told where, once it can come.
    pub fn open(address: Address, ready: impl FnOnce(SocketAddr)) -> Result<Link, LinkError> {
        let (input, output): (OwnedFd, OwnedFd) = match address {
            Address::Pipe => {
                let input = io::stdin().as_fd().try_clone_to_owned()?;
                (input, io::stdout().as_fd().try_clone_to_owned()?)
            }
            Address::Socket(address) => {
                let failed = |error| LinkError::Port { address, error };
                let listener = TcpListener::bind(address).map_err(failed)?;
                ready(listener.local_addr().map_err(failed)?);
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                (stream.try_clone()?.into(), stream.into())
            }
        };
        let (input, output) = (File::from(input), File::from(output));
        Ok(Link { input, output, received: Vec::new(), acknowledges: true })
    }

    /// The next packet; none if gdb has gone.
    pub fn receive(&mut self) -> Result<Option<Vec<u8>>, LinkError> {
        loop {
            match packet::take(&mut self.received) {
                Incoming::Packet(data) => {
                    if self.acknowledges {
                        self.output.write_all(b"+")?;
                    }
                    return Ok(Some(data));
                }
                Incoming::Damaged => self.output.write_all(b"-")?,
                // Nothing is running.
                Incoming::Interrupt => {}
                Incoming::Nothing => {
                    if !self.read_more()? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Sends a packet.
    pub fn send(&mut self, data: &[u8]) -> Result<(), LinkError> {
        self.output.write_all(&packet::wrap(data))?;
        Ok(self.output.flush()?)
    }

    /// Whether gdb asks to stop, or has gone; for the time when something is running.
    pub fn is_interrupted(&mut self) -> bool {
        if !kernel::wait_readable(&self.input, Duration::ZERO) {
            return false;
        }
        !self.read_more().unwrap_or(false)
            || packet::take(&mut self.received) == Incoming::Interrupt
    }

    fn read_more(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 4096];
        let count = match self.input.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => 0,
            other => other?,
        };
        self.received.extend(&bytes[..count]);
        Ok(0 < count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_short_or_long() {
        let address = |text: &str| text.parse::<Address>().map(|it| it.to_string());
        assert_eq!(address("1234").unwrap(), "127.0.0.1:1234");
        assert_eq!(address(":1234").unwrap(), "127.0.0.1:1234");
        assert_eq!(address("0.0.0.0:1").unwrap(), "0.0.0.0:1");
        assert_eq!(address("-").unwrap(), "-");
        assert!(address("a.trail.json").is_err() && address("127.0.0.1:x").is_err());
        assert!(address("70000").is_err());
    }
}
