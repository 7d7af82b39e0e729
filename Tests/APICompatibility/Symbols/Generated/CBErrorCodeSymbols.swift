// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBErrorCodeSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(295, "CBError.Code") { check in
                check.isOpenEnumeration(CBError.Code.self)
                switch CBError.Code(rawValue: 0) {
                case .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace,
                    .operationCancelled, .connectionTimeout, .peripheralDisconnected,
                    .uuidNotAllowed, .alreadyAdvertising, .connectionFailed,
                    .connectionLimitReached, .unkownDevice, .operationNotSupported,
                    .peerRemovedPairingInformation, .encryptionTimedOut, .tooManyLEPairedDevices,
                    .leGattExceededBackgroundNotificationLimit,
                    .leGattNearBackgroundNotificationLimit, .channelSoundingConfigurationFailed,
                    .channelSoundingProcedureFailed:
                    break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(296, "CBError.Code.init(rawValue:)") { check in
                let _: (Int) -> CBError.Code? = CBError.Code.init(rawValue:)
                check.equal(CBError.Code(rawValue: 0x80)?.rawValue, 0x80)
            },
            Symbol(297, "CBError.Code.unknown") { check in
                var value = CBError.Code.unknown
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(298, "CBError.Code.invalidParameters") { check in
                var value = CBError.Code.invalidParameters
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(299, "CBError.Code.invalidHandle") { check in
                var value = CBError.Code.invalidHandle
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(300, "CBError.Code.notConnected") { check in
                var value = CBError.Code.notConnected
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(301, "CBError.Code.outOfSpace") { check in
                var value = CBError.Code.outOfSpace
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(302, "CBError.Code.operationCancelled") { check in
                var value = CBError.Code.operationCancelled
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(303, "CBError.Code.connectionTimeout") { check in
                var value = CBError.Code.connectionTimeout
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 6)
            },
            Symbol(304, "CBError.Code.peripheralDisconnected") { check in
                var value = CBError.Code.peripheralDisconnected
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 7)
            },
            Symbol(305, "CBError.Code.uuidNotAllowed") { check in
                var value = CBError.Code.uuidNotAllowed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 8)
            },
            Symbol(306, "CBError.Code.alreadyAdvertising") { check in
                var value = CBError.Code.alreadyAdvertising
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 9)
            },
            Symbol(307, "CBError.Code.connectionFailed") { check in
                var value = CBError.Code.connectionFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 10)
            },
            Symbol(308, "CBError.Code.connectionLimitReached") { check in
                var value = CBError.Code.connectionLimitReached
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 11)
            },
            Symbol(309, "CBError.Code.unkownDevice") { check in
                var value = CBError.Code.unkownDevice
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(310, "CBError.Code.unknownDevice") { check in
                var value = CBError.Code.unknownDevice
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(311, "CBError.Code.operationNotSupported") { check in
                var value = CBError.Code.operationNotSupported
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 13)
            },
            Symbol(312, "CBError.Code.peerRemovedPairingInformation") { check in
                var value = CBError.Code.peerRemovedPairingInformation
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 14)
            },
            Symbol(313, "CBError.Code.encryptionTimedOut") { check in
                var value = CBError.Code.encryptionTimedOut
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 15)
            },
            Symbol(314, "CBError.Code.tooManyLEPairedDevices") { check in
                var value = CBError.Code.tooManyLEPairedDevices
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 16)
            },
            Symbol(315, "CBError.Code.leGattExceededBackgroundNotificationLimit") { check in
                var value = CBError.Code.leGattExceededBackgroundNotificationLimit
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 17)
            },
            Symbol(316, "CBError.Code.leGattNearBackgroundNotificationLimit") { check in
                var value = CBError.Code.leGattNearBackgroundNotificationLimit
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 18)
            },
            Symbol(317, "CBError.Code.channelSoundingConfigurationFailed") { check in
                var value = CBError.Code.channelSoundingConfigurationFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 19)
            },
            Symbol(318, "CBError.Code.channelSoundingProcedureFailed") { check in
                var value = CBError.Code.channelSoundingProcedureFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 20)
            },
        ]
    }
}
