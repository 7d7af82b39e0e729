// SPDX-License-Identifier: Apache-2.0

/// Which processes have to do with adapters.
///
/// The kernel lists all HCI sockets in /proc/net/hci by their numbers, but not what adapter each is for;
/// and /proc tells which process has a socket to those only who might debug it. So this is what can be
/// said, and may be less than all.
struct AdapterHolders: Sendable {
    /// The Bluetooth daemons there are: BlueZ's.
    static let daemonNames: Set = ["bluetoothd"]
    /// How many processes are looked at, and how many open files of each.
    static let processLimit = 32_768
    static let fileLimit = 4096

    private let files: any SystemFiles

    init(_ files: any SystemFiles) {
        self.files = files
    }

    /// The daemons that run.
    var daemons: [SystemProcess] {
        processes.filter { Self.daemonNames.contains($0.name) }
    }

    /// The programs, daemons aside, that have HCI sockets: one that has an adapter for itself is among
    /// them. Not this process, which has one to hear of adapters by.
    var programs: [SystemProcess] {
        let sockets = self.sockets
        guard !sockets.isEmpty else { return [] }
        let own = files.target(of: "/proc/self").flatMap(Int.init)
        return processes.filter { process in
            process.number != own && !Self.daemonNames.contains(process.name)
                && holds(process, oneOf: sockets)
        }
    }

    /// The programs that have the file of this path open, this one included.
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

    /// What the links in /proc/PID/fd say that lead to an HCI socket: `socket:[4711]`. The kernel's list
    /// has a headline, and the socket's number in the sixth column.
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
