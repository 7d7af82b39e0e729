// SPDX-License-Identifier: Apache-2.0

/// The processes that use Bluetooth adapters.
///
/// The kernel lists the numbers of all HCI sockets in /proc/net/hci, but not their adapters. /proc
/// discloses the sockets of a process only to processes that may debug it. The result is therefore
/// limited and may be incomplete.
struct AdapterHolders: Sendable {
    /// The process names of the known Bluetooth daemons.
    static let daemonNames: Set = ["bluetoothd"]
    /// The maximum number of processes that are inspected.
    static let processLimit = 32_768
    /// The maximum number of open files that are inspected for each process.
    static let fileLimit = 4096

    private let files: any SystemFiles

    init(_ files: any SystemFiles) {
        self.files = files
    }

    /// The daemons that are running.
    var daemons: [SystemProcess] {
        processes.filter { Self.daemonNames.contains($0.name) }
    }

    /// The programs with HCI sockets, without daemons. A program with exclusive use of an adapter
    /// is among them, if this process may see its files. This process is excluded, because it may
    /// have such a socket for announcements.
    var programs: [SystemProcess] {
        let sockets = self.sockets
        guard !sockets.isEmpty else { return [] }
        let own = files.target(of: "/proc/self").flatMap(Int.init)
        return processes.filter { process in
            process.number != own && !Self.daemonNames.contains(process.name)
                && holds(process, oneOf: sockets)
        }
    }

    /// Returns the programs that have the file at this path open, including this process.
    func programs(withOpen path: String) -> [SystemProcess] {
        processes.filter { holds($0, oneOf: [path]) }
    }

    private var processes: [SystemProcess] {
        let numbers = files.names(in: "/proc").compactMap { Int($0) }.sorted()
        return numbers.prefix(Self.processLimit).compactMap { number in
            guard let name = files.text(of: "/proc/\(number)/comm") else { return nil }
            return SystemProcess(number: number, name: Self.withoutLineEnd(name))
        }
    }

    /// The targets of the links in /proc/PID/fd to HCI sockets, such as `socket:[4711]`. The
    /// kernel's list has a header line, and the number of the socket in the sixth column.
    private var sockets: Set<String> {
        let lines = (files.text(of: "/proc/net/hci") ?? "").split(separator: "\n").dropFirst()
        return Set(
            lines.compactMap { line in
                let columns = line.split(separator: " ")
                return columns.count > 5 ? "socket:[\(columns[5])]" : nil
            }
        )
    }

    private func holds(_ process: SystemProcess, oneOf sockets: Set<String>) -> Bool {
        let folder = "/proc/\(process.number)/fd"
        return files.names(in: folder).prefix(Self.fileLimit).contains { name in
            files.target(of: "\(folder)/\(name)").map(sockets.contains) ?? false
        }
    }

    private static func withoutLineEnd(_ text: String) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
