// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The serial ports of this machine.
package enum SerialPorts {
    /// How many are told of at most.
    static let limit = 16

    /// How the kernel names the ports to which a controller can be wired: USB adapters and modules,
    /// and the UARTs of small machines. Those of a PC, ttyS, are there whether or not anything is.
    static let prefixes = ["ttyUSB", "ttyACM", "ttyAMA", "ttyTHS", "ttymxc", "serial"]

    /// The paths of those that are there, sorted, with the names that stay the same first.
    package static var present: [String] {
        let files = LinuxFiles()
        let lasting = files.names(in: "/dev/serial/by-id").map { "/dev/serial/by-id/" + $0 }
        let others = files.names(in: "/dev").filter(isSerialPort).map { "/dev/" + $0 }
        return Array((lasting + others).prefix(limit))
    }

    /// Whether a device of this name is a serial port.
    static func isSerialPort(_ name: String) -> Bool {
        prefixes.contains { prefix in
            guard name.hasPrefix(prefix), name != prefix else { return false }
            return name.dropFirst(prefix.count).allSatisfy(\.isNumber)
        }
    }

    /// The group that may use the device, if there is one that may and it has a name.
    static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IWGRP != 0 else { return nil }
        return group(status.st_gid, in: LinuxFiles().text(of: "/etc/group") ?? "")
    }

    /// The name of a group in the system's list, whose lines are `dialout:x:20:`.
    ///
    /// Read here, because the C library's own way loads other libraries, which a static program cannot.
    static func group(_ number: UInt32, in list: String) -> String? {
        for line in list.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, !fields[0].isEmpty, UInt32(fields[2]) == number {
                return String(fields[0])
            }
        }
        return nil
    }

    /// The programs that have the device open, as far as this one may see. Looks on a thread of its own:
    /// a machine may have many processes with many files.
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
