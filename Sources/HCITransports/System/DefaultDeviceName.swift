// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The name of a device that the user has not named (Vol 3, Part C, 12.1).
package enum DefaultDeviceName {
    /// The environment variable with the name of the device.
    package static let variable = "LANYARD_NAME"
    /// The maximum length of a name in bytes of UTF-8.
    package static let lengthLimit = 248
    /// The name if neither the environment nor the system has one.
    static let lastResort = "Lanyard"

    /// Returns the name in the environment variable, or otherwise the system's host name, or
    /// otherwise `lastResort`.
    package static func standard(
        chosen: String? = environmentName,
        hostName: String? = systemHostName
    ) -> String {
        chosen.flatMap(fitting) ?? hostName.flatMap(fitting) ?? lastResort
    }

    /// Returns the part of a text that fits into a device name, without control characters and
    /// truncated between two characters, or `nil` if it is empty.
    package static func fitting(_ text: String) -> String? {
        var name = String(text.filter { !$0.unicodeScalars.contains(where: isControl) })
        while name.utf8.count > lengthLimit { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    /// The value of the environment variable, or `nil` if it is not set.
    package static var environmentName: String? {
        getenv(variable).map { String(cString: $0) }
    }

    /// The host name without its domain, or `nil` if the system does not provide it.
    package static var systemHostName: String? {
        // POSIX allows 255 bytes, and a truncated name may lack its final zero.
        var buffer = [UInt8](repeating: 0, count: 256)
        let status = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { gethostname($0, text.count) } ?? -1
            }
        }
        guard status == 0 else { return nil }
        let name = buffer.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }
        return String(utf8: name)
    }
}
