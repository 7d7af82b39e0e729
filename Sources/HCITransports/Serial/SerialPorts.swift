// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The serial ports of this machine.
package enum SerialPorts {
    /// The maximum number of ports in a list.
    static let limit = 16

    /// The prefixes of the names of ports to which a controller can be connected: USB adapters,
    /// modules, and the UARTs of embedded boards. The ports of a PC, ttyS, are excluded, because
    /// they exist even if no device is connected.
    static let prefixes = ["ttyUSB", "ttyACM", "ttyAMA", "ttyTHS", "ttymxc", "serial"]

    /// The paths of at most `limit` existing ports: the sorted permanent names, and then the
    /// others, sorted.
    package static var present: [String] {
        let files = LinuxFiles()
        let lasting = files.names(in: "/dev/serial/by-id").map { "/dev/serial/by-id/" + $0 }
        let others = files.names(in: "/dev").filter(isSerialPort).map { "/dev/" + $0 }
        return Array((lasting + others).prefix(limit))
    }

    /// Returns whether a name consists of one of the `prefixes` and a number.
    static func isSerialPort(_ name: String) -> Bool {
        prefixes.contains { prefix in
            guard name.hasPrefix(prefix), name != prefix else { return false }
            return name.dropFirst(prefix.count).allSatisfy(\.isNumber)
        }
    }

    /// Returns the name of the group with access to the device, or `nil` if there is none.
    static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IWGRP != 0 else { return nil }
        return group(status.st_gid, in: LinuxFiles().text(of: "/etc/group") ?? "")
    }

    /// Returns the name of a group in the system's list, whose lines have the form `dialout:x:20:`.
    ///
    /// The list is read directly, because the C library's function loads other libraries, which a
    /// static executable cannot do.
    static func group(_ number: UInt32, in list: String) -> String? {
        for line in list.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, !fields[0].isEmpty, UInt32(fields[2]) == number {
                return String(fields[0])
            }
        }
        return nil
    }

    /// Returns the programs that have the device open, as far as this process may see them.
    ///
    /// The search runs on its own thread, because a machine may have many processes with many
    /// files.
    static func findHolders(of path: String) async -> [SystemProcess] {
        await withCheckedContinuation { found in
            guard let thread = SystemThread({ found.resume(returning: holders(of: path)) }) else {
                return found.resume(returning: [])
            }
            thread.detach()
        }
    }

    private static func holders(of path: String) -> [SystemProcess] {
        guard let resolved = realpath(path, nil) else { return [] }
        defer { free(resolved) }
        return AdapterHolders(LinuxFiles()).programs(withOpen: String(cString: resolved))
    }
}
