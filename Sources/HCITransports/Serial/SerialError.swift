// SPDX-License-Identifier: Apache-2.0

/// Why a serial line cannot be used.
public enum SerialError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no such device; these look like serial ports.
    case noSuchDevice(path: String, present: [String])
    /// The file is no terminal.
    case notATerminal(path: String)
    /// The user may not use it; the group may that is named.
    case permissionDenied(path: String, group: String?)
    /// Another process has it; those that may be it, or none where that cannot be seen.
    case inUse(path: String, by: [SystemProcess])
    /// The kernel drives a controller through it: btattach or the system's set-up told it to.
    case usedByKernel(path: String)
    /// The port cannot be as fast, or only about so; what it would be instead.
    case speedRefused(path: String, speed: Int, instead: Int)
    /// Nobody answered, at any of these speeds.
    case noAnswer(path: String, speeds: [Int])
    /// There are no serial lines on this system.
    case notSupported

    /// What went wrong and what to do next, in one line.
    public var description: String {
        switch self {
        case .noSuchDevice(let path, let present):
            "\(path): no such device; "
                + (present.isEmpty
                    ? "no serial port is there, check that it is plugged in"
                    : "there are " + present.joined(separator: ", "))
        case .notATerminal(let path): "\(path): is no serial port"
        case .permissionDenied(let path, let group?):
            "\(path): permission denied; join the group \(group) with "
                + "'sudo usermod -aG \(group) $USER' and log in again"
        case .permissionDenied(let path, nil):
            "\(path): permission denied; only root may use it, see who owns it with 'ls -l \(path)'"
        case .inUse(let path, let processes):
            "\(path): in use by \(AdapterHolder.processes(processes)); stop it first"
        case .usedByKernel(let path):
            "\(path): the kernel drives a controller through it; stop btattach or hciuart, "
                + "or use the adapter that it made of it, hci0 for example"
        case .speedRefused(let path, let speed, let instead):
            "\(path): cannot be used at \(speed) bits per second, the nearest is \(instead)"
        case .noAnswer(let path, let speeds):
            "\(path): no controller answers at "
                + speeds.map(String.init).joined(separator: " or ")
                + " bits per second; check the speed and the wires, and try flow=none if "
                + "RTS and CTS are not connected"
        case .notSupported: "serial lines are supported on Linux only"
        }
    }
}
