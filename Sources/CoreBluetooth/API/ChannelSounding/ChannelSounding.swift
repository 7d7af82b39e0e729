// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The configuration of a Channel Sounding session, which measures the distance to a peripheral.
///
/// The adapters of this host do not support Channel Sounding: a session ends at once with
/// `CBError.operationNotSupported`.
open class CBChannelSoundingSessionConfiguration: NSObject {
    /// The role of this device in the session.
    public typealias Role = CBChannelSoundingSessionConfigurationRole

    private let chosen: Role

    /// Creates a configuration with the role of this device.
    public init(role: CBChannelSoundingSessionConfiguration.Role) {
        chosen = role
    }

    /// The role of this device.
    open var role: CBChannelSoundingSessionConfiguration.Role { chosen }
}

/// The result of a Channel Sounding procedure. The adapters of this host support none.
open class CBChannelSoundingProcedureResults: NSObject {
    private let measured: Double

    init(distance: Double) {
        measured = distance
    }

    /// The distance to the peer, in meters.
    open var distance: Double { measured }
}
