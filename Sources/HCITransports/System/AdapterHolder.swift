// SPDX-License-Identifier: Apache-2.0

/// A process, as the system lists it.
public struct SystemProcess: Hashable, Sendable, CustomStringConvertible {
    /// Its number.
    public let number: Int
    /// What it is called, as far as the kernel keeps it: fifteen octets. Chosen by the process.
    public let name: String

    /// Makes one.
    public init(number: Int, name: String) {
        self.number = number
        self.name = name
    }

    /// `bluetoothd (process 512)`.
    public var description: String { "\(name) (process \(number))" }
}

/// Who has an adapter.
public enum AdapterHolder: Hashable, Sendable {
    /// A program that has it for itself. Where the kernel does not say which of several it is, all that
    /// it may be; none if this process may not see them.
    case processes([SystemProcess])
    /// The kernel's own host, with so many links, which works for these daemons.
    case kernel(connections: Int, for: [SystemProcess])
}

extension AdapterHolder: CustomStringConvertible {
    /// Who, in words: `bluetoothd (process 512) with 2 connections`.
    public var description: String {
        switch self {
        case .processes([]): "another program"
        case .processes(let processes): Self.list(processes, by: " or ")
        case .kernel(let connections, let daemons):
            (daemons.isEmpty ? "the kernel" : Self.list(daemons, by: " and "))
                + (connections == 0 ? "" : " with \(connections) connection")
                + (connections > 1 ? "s" : "")
        }
    }

    private static func list(_ processes: [SystemProcess], by word: String) -> String {
        processes.map(\.description).joined(separator: word)
    }
}
