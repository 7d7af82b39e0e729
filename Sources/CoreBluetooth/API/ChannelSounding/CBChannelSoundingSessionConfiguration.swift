// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How the distance to a peripheral is to be measured by channel sounding.
///
/// No adapter of this host can: a session ends at once with `CBError.operationNotSupported`.
open class CBChannelSoundingSessionConfiguration: NSObject {
    /// Which part this device takes.
    public typealias Role = CBChannelSoundingSessionConfigurationRole

    private let chosen: Role

    /// A configuration in which this device takes the part `role`.
    public init(role: CBChannelSoundingSessionConfiguration.Role) {
        chosen = role
    }

    /// The part that this device takes.
    open var role: CBChannelSoundingSessionConfiguration.Role { chosen }
}
