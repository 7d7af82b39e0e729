// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBChannelSoundingSessionConfigurationSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(390, "CBChannelSoundingSessionConfiguration") { _ in
                let _: NSObject.Type = CBChannelSoundingSessionConfiguration.self
                let _: CBChannelSoundingSessionConfiguration.Type =
                    OpenCBChannelSoundingSessionConfiguration.self
            },
            Symbol(391, "CBChannelSoundingSessionConfiguration.init(role:)") { _ in
                let _:
                    (CBChannelSoundingSessionConfiguration.Role) ->
                        CBChannelSoundingSessionConfiguration =
                        CBChannelSoundingSessionConfiguration.init(role:)
            },
            Symbol(392, "CBChannelSoundingSessionConfiguration.role") { _ in
                let _:
                    KeyPath<
                        CBChannelSoundingSessionConfiguration,
                        CBChannelSoundingSessionConfiguration.Role
                    > = \.role
            },
        ]
    }
}

private class OpenCBChannelSoundingSessionConfiguration: CBChannelSoundingSessionConfiguration {
    override init(role: CBChannelSoundingSessionConfiguration.Role) {
        super.init(role: role)
    }

    override var role: CBChannelSoundingSessionConfiguration.Role { super.role }
}
