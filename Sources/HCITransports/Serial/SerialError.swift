// SPDX-License-Identifier: Apache-2.0

/// The reason why a serial line cannot be used.
public enum SerialError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The device does not exist. `present` contains at most 16 existing serial ports, without
    /// those of a PC (ttyS).
    case noSuchDevice(path: String, present: [String])
    /// The file is not a terminal.
    case notATerminal(path: String)
    /// The user does not have access to the device. `group` is the group that has access,
    /// if there is one.
    case permissionDenied(path: String, group: String?)
    /// Another process uses the device. `by` contains the processes that have the device open, or
    /// none if they cannot be determined.
    case inUse(path: String, by: [SystemProcess])
    /// The kernel uses the device for a controller, as btattach or the system's configuration
    /// requested.
    case usedByKernel(path: String)
    /// The port does not support the speed. `instead` is the speed that it would use.
    case speedRefused(path: String, speed: Int, instead: Int)
    /// No controller answered at any of these speeds.
    case noAnswer(path: String, speeds: [Int])
    /// This system does not support serial lines.
    case notSupported

    /// The error, and the remedy if there is one, in one line.
    public var description: String {
        switch self {
        case .noSuchDevice(let path, let present):
            "\(path): no such device; "
                + (present.isEmpty
                    ? "no serial port was found; check that the device is plugged in"
                    : "there are " + present.joined(separator: ", "))
        case .notATerminal(let path): "\(path): is not a serial port"
        case .permissionDenied(let path, let group?):
            "\(path): permission denied; join the group \(group) with "
                + "'sudo usermod -aG \(group) $USER' and log in again"
        case .permissionDenied(let path, nil):
            "\(path): permission denied; 'ls -l \(path)' shows the owner and the group"
        case .inUse(let path, let processes):
            "\(path): in use by \(AdapterHolder.processes(processes)); stop it first"
        case .usedByKernel(let path):
            "\(path): the kernel uses the port for a controller; stop btattach or hciuart, "
                + "or use the kernel's adapter for it, such as hci0"
        case .speedRefused(let path, let speed, let instead):
            "\(path): cannot be used at \(speed) bits per second; the nearest is \(instead)"
        case .noAnswer(let path, let speeds):
            "\(path): no controller answers at "
                + speeds.map(String.init).joined(separator: " or ")
                + " bits per second; check the speed and the wires, and try flow=none if "
                + "RTS and CTS are not connected"
        case .notSupported: "serial lines are supported on Linux only"
        }
    }
}
