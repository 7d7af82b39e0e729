// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// The kernel's management interface, for requests that BlueZ's D-Bus interface does not have.
extension BlueZ {
    /// The number of a management command. The names are those in the Linux kernel's `mgmt.h`.
    enum ManagementCommand: UInt16, Sendable {
        case readControllerInformation = 0x0004
        case setBondable = 0x0009
        case addRemoteOutOfBandData = 0x0021
        case setSecureConnections = 0x002D
        case readLocalOutOfBandExtendedData = 0x003B
    }

    /// Makes the kernel execute a command. Returns its answer.
    ///
    /// - Throws: `Refusal` with the kernel's status.
    @discardableResult
    func manage(_ command: ManagementCommand, _ bytes: [UInt8]) async throws -> [UInt8] {
        let arguments: [String: JSON] = [
            "code": .number(Double(command.rawValue)), "data": .bytes(bytes),
        ]
        return try await call("manage", arguments)["data"].bytes
    }

    /// Whether the kernel has powered its controller on. The answer has the current settings at
    /// offset 13, and the lowest bit is the power (BlueZ, doc/mgmt-api.txt, Read Controller
    /// Information Command).
    var isPowered: Bool {
        get async throws {
            let information = try await manage(.readControllerInformation, [])
            return information.count > 13 && information[13] & 1 != 0
        }
    }
}
