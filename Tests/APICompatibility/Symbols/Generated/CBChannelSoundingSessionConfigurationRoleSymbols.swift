// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBChannelSoundingSessionConfigurationRoleSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(393, "CBChannelSoundingSessionConfiguration.Role") { check in
                check.isOpenEnumeration(CBChannelSoundingSessionConfiguration.Role.self)
                switch CBChannelSoundingSessionConfiguration.Role(rawValue: 0) {
                case .initiator: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(394, "CBChannelSoundingSessionConfiguration.Role.initiator") { check in
                var value = CBChannelSoundingSessionConfiguration.Role.initiator
                exactly(&value, CBChannelSoundingSessionConfiguration.Role.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(395, "CBChannelSoundingSessionConfiguration.Role.init(rawValue:)") { check in
                let _: (Int) -> CBChannelSoundingSessionConfiguration.Role? =
                    CBChannelSoundingSessionConfiguration.Role.init(rawValue:)
                check.equal(
                    CBChannelSoundingSessionConfiguration.Role(rawValue: 0x80)?.rawValue,
                    0x80
                )
            },
        ]
    }
}
