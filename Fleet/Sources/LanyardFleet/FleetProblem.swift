// SPDX-License-Identifier: Apache-2.0

import JSONText
import Lanyard

/// A failure of a command: a problem type of NIPC, an HTTP status code, and a text for people.
struct FleetProblem: Error, Hashable, Sendable {
    /// The name of the problem type; `nil` for one without a type of NIPC (`about:blank`).
    var type: String?
    var status: Int
    var title: String
    var detail: String

    /// The URI of the problem type.
    var uri: String {
        type.map { "https://www.iana.org/assignments/nipc-problem-types#\($0)" } ?? "about:blank"
    }

    static func malformed(_ detail: String) -> Self {
        Self(status: 400, title: "Malformed command", detail: detail)
    }
    static func unknownCharacteristic(_ detail: String) -> Self {
        Self(
            type: "protocolmap-ble-invalid-service-or-characteristic",
            status: 404,
            title: "Invalid BLE service or characteristic ID",
            detail: detail
        )
    }
    /// Returns the problem of an operation that the characteristic's roles do not include.
    static func refused(_ type: String, _ title: String, _ role: String) -> Self {
        Self(
            type: type,
            status: 405,
            title: title,
            detail: "The accessory's description does not give the characteristic the role \(role)."
        )
    }
    static let busy = Self(
        status: 429,
        title: "Too many commands",
        detail: "\(FleetCore.commandLimit) commands are under way. Repeat this one later."
    )
    static let repeated = Self(
        status: 409,
        title: "Repeated command",
        detail: "A command with this id is under way. Use a new id for a new command."
    )
    static let alreadyAnswered = Self(
        status: 409,
        title: "Repeated command",
        detail: "A command with this id was answered before. Use a new id for a new command."
    )
    static let forgotten = Self(
        type: "protocolmap-ble-no-connection",
        status: 409,
        title: "No connection found for device",
        detail: "The host has forgotten the accessory. Send the command connect first."
    )
    static let alreadyEnabled = Self(
        type: "event-already-enabled",
        status: 409,
        title: "Event already enabled",
        detail: "The values of the characteristic are published already."
    )
    static let notEnabled = Self(
        type: "event-not-enabled",
        status: 409,
        title: "Event not enabled",
        detail: "The values of the characteristic are not published."
    )
    static let expired = Self(
        type: "protocolmap-ble-connection-timeout",
        status: 504,
        title: "Command expired",
        detail: "The accessory did not complete the command before its expiry."
    )
    static let interrupted = Self(
        status: 500,
        title: "Command interrupted",
        detail: "The host ended during the command. The accessory may have executed it."
    )
    static let released = Self(
        type: "protocolmap-ble-no-connection",
        status: 409,
        title: "No connection found for device",
        detail: "The host no longer holds the lease of the accessory."
    )

    /// Creates the problem for an error of the library.
    init(_ error: AccessoryError, of operation: FleetCommand.Operation) {
        let detail = "\(error)"
        switch error {
        case .notConnected, .linkEnded, .outOfConnectionSlots, .abandoned, .shutDown:
            self.init(
                type: "protocolmap-ble-no-connection",
                status: 409,
                title: "No connection found for device",
                detail: detail
            )
        case .unknownCharacteristic:
            self = .unknownCharacteristic(detail)
        case .requestTimedOut, .notFound, .connectingTimedOut, .stepTimedOut:
            self.init(
                type: "protocolmap-ble-connection-timeout",
                status: 504,
                title: "BLE connection timeout",
                detail: detail
            )
        case .notPaired:
            self.init(
                type: "protocolmap-ble-bonding-failed",
                status: 403,
                title: "BLE bonding failed",
                detail: detail
            )
        default:
            switch operation {
            case .read:
                self.init(
                    type: "property-read-failed",
                    status: 502,
                    title: "Property read failed",
                    detail: detail
                )
            case .write:
                self.init(
                    type: "property-write-failed",
                    status: 502,
                    title: "Property write failed",
                    detail: detail
                )
            default:
                self.init(
                    type: "protocolmap-ble-connection-failed",
                    status: 502,
                    title: "BLE connection failed",
                    detail: detail
                )
            }
        }
    }

    init(type: String? = nil, status: Int, title: String, detail: String) {
        (self.type, self.status, self.title, self.detail) = (type, status, title, detail)
    }
}
