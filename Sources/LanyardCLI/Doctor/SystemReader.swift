// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// A reader of a Linux computer's state for a diagnosis. It changes nothing and opens no adapter.
struct SystemReader: Sendable {
    /// The names of the processes that are Bluetooth daemons.
    private static let daemonNames: Set = ["bluetoothd"]
    /// The prefixes of the names of serial ports: those of USB devices, and those of the computer's
    /// own chips.
    private static let portPrefixes = ["ttyACM", "ttyUSB", "ttyAMA", "ttyS"]

    var tree = SystemTree()
    /// Lists the adapters of the kernel.
    var adapters: @Sendable () -> [SystemAdapter] = { SystemAdapters.list() }

    /// Returns the state of the computer without `choice`, `probe` and `store`, which depend on the
    /// chosen adapter.
    func read(kernel: SystemBluetooth.Support) -> SystemState {
        var system = SystemState()
        system.kernel = kernel
        system.adapters = adapters()
        system.switches = switches
        system.mayTakeAdapters = mayTakeAdapters
        system.program = tree.target(of: "/proc/self/exe")
        system.daemons = processes { Self.daemonNames.contains($0) }
        system.serialPorts = serialPorts
        return system
    }

    private var switches: [SystemState.RadioSwitch] {
        let folder = "/sys/class/rfkill"
        return tree.names(in: folder).compactMap { entry in
            let place = "\(folder)/\(entry)"
            guard tree.text("\(place)/type") == "bluetooth" else { return nil }
            return SystemState.RadioSwitch(
                entry: entry,
                name: tree.text("\(place)/name") ?? entry,
                isOffInSoftware: tree.text("\(place)/soft") == "1",
                isHardBlocked: tree.text("\(place)/hard") == "1"
            )
        }
    }

    private var mayTakeAdapters: Bool? {
        tree.text("/proc/self/status").flatMap { SystemAdapters.mayTake(status: $0) }
    }

    private func processes(
        _ predicate: (String) -> Bool
    ) -> [SystemProcess] {
        tree.names(in: "/proc").compactMap { entry in
            guard let number = Int(entry), let name = tree.text("/proc/\(entry)/comm"),
                predicate(name)
            else { return nil }
            return SystemProcess(number: number, name: name)
        }
    }

    /// The ports with a device. A computer has dozens of ports without one: those have no device
    /// entry, or the type 0.
    var serialPorts: [SystemState.SerialPort] {
        let folder = "/sys/class/tty"
        return tree.names(in: folder).compactMap { name in
            let place = "\(folder)/\(name)"
            guard Self.portPrefixes.contains(where: name.hasPrefix),
                tree.exists("\(place)/device"), tree.text("\(place)/type") != "0"
            else { return nil }
            let device = tree.resolved("\(place)/device")
            return SystemState.SerialPort(path: "/dev/\(name)", product: product(above: device))
        }
    }

    /// Returns the product name of the USB device that has an interface with this path.
    private func product(above device: String) -> String? {
        var path = device[...]
        for _ in 0..<3 {
            if let product = tree.text("\(path)/product") { return product }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return nil
    }

    /// Returns the process that holds the lock of a file; `nil` if it is not visible. The kernel
    /// lists locks by inode: `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`.
    func holder(ofLock file: String) -> SystemProcess? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: tree.root + file)
        guard let inode = attributes?[.systemFileNumber] as? Int,
            let locks = tree.text("/proc/locks")?.split(separator: "\n")
        else { return nil }
        for lock in locks {
            let fields = lock.split(whereSeparator: \.isWhitespace)
            guard fields.count > 5, fields[1] == "FLOCK", let number = Int(fields[4]),
                fields[5].hasSuffix(":\(inode)")
            else { continue }
            return .init(number: number, name: tree.text("/proc/\(number)/comm") ?? "process")
        }
        return nil
    }
}

/// The files in which Linux describes its devices and processes, /sys and /proc, below a root that
/// a test can choose.
struct SystemTree: Sendable {
    /// The maximum number of bytes read of a file, and of names read of a directory.
    static let lengthLimit = 65_536
    static let nameLimit = 65_536

    /// The prefix of every path.
    var root = ""

    /// Returns the names in a directory, sorted; empty if it cannot be read.
    func names(in path: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root + path)
        return Array((names ?? []).prefix(Self.nameLimit)).sorted()
    }

    /// Returns the beginning of a file without the white space around it; `nil` if it cannot be
    /// read.
    func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: root + path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.lengthLimit) else { return nil }
        return String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns whether a file exists at the path.
    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + path)
    }

    /// Returns the target of a symbolic link; `nil` if the file is not a link or cannot be read.
    func target(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: root + link)
    }

    /// Returns the path with all symbolic links resolved, below the same root.
    func resolved(_ path: String) -> String {
        let whole = URL(fileURLWithPath: root + path).resolvingSymlinksInPath().path
        return whole.hasPrefix(root) ? String(whole.dropFirst(root.count)) : whole
    }
}
