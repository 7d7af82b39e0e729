// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// Reads off a Linux computer what a diagnosis goes by. Changes nothing, and asks no adapter.
struct SystemReader: Sendable {
    /// The Bluetooth daemons there are: BlueZ's.
    private static let daemonNames: Set = ["bluetoothd"]
    /// The bit of CAP_NET_ADMIN in a set of capabilities.
    private static let netAdmin = 12
    /// Ports that were made for something to be plugged in; the others are only there if a chip is.
    private static let portPrefixes = ["ttyACM", "ttyUSB", "ttyAMA", "ttyS"]

    var tree = SystemTree()
    /// The adapters that the kernel has.
    var adapters: @Sendable () -> [SystemAdapter] = { SystemAdapters.list() }

    /// All but the choice of an adapter, and what follows from it.
    func read(kernel: SystemBluetooth.Support) -> Surroundings {
        var surroundings = Surroundings()
        surroundings.kernel = kernel
        surroundings.adapters = adapters()
        surroundings.switches = switches
        surroundings.mayTakeAdapters = mayTakeAdapters
        surroundings.program = tree.target(of: "/proc/self/exe")
        surroundings.daemons = processes { Self.daemonNames.contains($0) }
        surroundings.serialPorts = serialPorts
        return surroundings
    }

    private var switches: [Surroundings.RadioSwitch] {
        let folder = "/sys/class/rfkill"
        return tree.names(in: folder).compactMap { entry in
            let place = "\(folder)/\(entry)"
            guard tree.text("\(place)/type") == "bluetooth" else { return nil }
            return Surroundings.RadioSwitch(
                entry: entry,
                name: tree.text("\(place)/name") ?? entry,
                isOffByWish: tree.text("\(place)/soft") == "1",
                isOffByHardware: tree.text("\(place)/hard") == "1"
            )
        }
    }

    /// By the effective capabilities, which root has as well unless they were taken away.
    private var mayTakeAdapters: Bool? {
        let lines = tree.text("/proc/self/status")?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix("CapEff:") }),
            let digits = line.split(whereSeparator: \.isWhitespace).last,
            let capabilities = UInt64(digits, radix: 16)
        else { return nil }
        return capabilities >> Self.netAdmin & 1 == 1
    }

    private func processes(
        _ isMeant: (String) -> Bool
    ) -> [SystemProcess] {
        tree.names(in: "/proc").compactMap { entry in
            guard let number = Int(entry), let name = tree.text("/proc/\(entry)/comm"),
                isMeant(name)
            else { return nil }
            return SystemProcess(number: number, name: name)
        }
    }

    /// A computer has dozens of ports that lead nowhere: those have no device, or the type 0.
    var serialPorts: [Surroundings.SerialPort] {
        let folder = "/sys/class/tty"
        return tree.names(in: folder).compactMap { name in
            let place = "\(folder)/\(name)"
            guard Self.portPrefixes.contains(where: name.hasPrefix),
                tree.exists("\(place)/device"), tree.text("\(place)/type") != "0"
            else { return nil }
            let device = tree.resolved("\(place)/device")
            return Surroundings.SerialPort(path: "/dev/\(name)", product: product(above: device))
        }
    }

    /// What the USB device says of itself to which an interface of this path belongs.
    private func product(above device: String) -> String? {
        var path = device[...]
        for _ in 0..<3 {
            if let product = tree.text("\(path)/product") { return product }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return nil
    }

    /// Which process holds the lock of a file; nil if that cannot be seen. The kernel lists locks by
    /// the number of the file: `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`.
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
