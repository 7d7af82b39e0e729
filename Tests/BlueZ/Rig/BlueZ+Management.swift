// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// The kernel's management interface, for what D-Bus has no words for.
extension BlueZ {
    /// A command of it, by its number; the names are those of the Linux kernel's `mgmt.h`.
    enum ManagementCommand: UInt16, Sendable {
        case setBondable = 0x0009
        case addRemoteOutOfBandData = 0x0021
        case setSecureConnections = 0x002D
        case readLocalOutOfBandExtendedData = 0x003B
    }

    /// Has the kernel carry out a command; what it answers.
    ///
    /// - Throws: `Refusal` with the kernel's status.
    @discardableResult
    func manage(_ command: ManagementCommand, _ octets: [UInt8]) async throws -> [UInt8] {
        let arguments: [String: JSON] = [
            "code": .number(Double(command.rawValue)), "octets": .octets(octets),
        ]
        return try await call("manage", arguments)["octets"].octets
    }
}
