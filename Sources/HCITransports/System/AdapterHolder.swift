// SPDX-License-Identifier: Apache-2.0

/// A process in the system's list.
public struct SystemProcess: Hashable, Sendable, CustomStringConvertible {
    /// The process identifier.
    public let number: Int
    /// The name of the process, which the kernel truncates to 15 bytes. The process itself can
    /// change it.
    public let name: String

    /// Creates the description of a process.
    public init(number: Int, name: String) {
        self.number = number
        self.name = name
    }

    /// The name and the number: `bluetoothd (process 512)`.
    public var description: String { "\(name) (process \(number))" }
}

/// The user of an adapter.
public enum AdapterHolder: Hashable, Sendable {
    /// A program with exclusive use of the adapter. The kernel does not identify the program, so
    /// the list contains all candidates that this process may see.
    case processes([SystemProcess])
    /// The kernel's own host with this number of links, on behalf of these daemons.
    case kernel(connections: Int, for: [SystemProcess])
}

extension AdapterHolder: CustomStringConvertible {
    /// The user in words: `bluetoothd (process 512) with 2 connections`.
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
