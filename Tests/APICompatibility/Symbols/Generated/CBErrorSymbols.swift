// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBErrorSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(284, "CBError") { _ in
                let _: any CustomNSError.Type = CBError.self
                let _: any Hashable.Type = CBError.self
                let _: any Error.Type = CBError.self
                let _: any Sendable.Type = CBError.self
            },
            Symbol(285, "CBError.init(_:userInfo:)") { _ in
                let _: (CBError.Code, [String: Any]) -> CBError = CBError.init(_:userInfo:)
                let _: (CBError.Code) -> CBError = { CBError($0) }
            },
            Symbol(286, "CBError.init(_nsError:)") { _ in
                let _: (NSError) -> CBError = CBError.init(_nsError:)
            },
            Symbol(287, "CBError.code") { _ in
                let _: KeyPath<CBError, CBError.Code> = \.code
            },
            Symbol(288, "CBError.userInfo") { _ in
                let _: KeyPath<CBError, [String: Any]> = \.userInfo
            },
            Symbol(289, "CBError.localizedDescription") { _ in
                let _: KeyPath<CBError, String> = \.localizedDescription
            },
            Symbol(290, "CBError.errorCode") { _ in
                let _: KeyPath<CBError, Int> = \.errorCode
            },
            Symbol(291, "CBError.errorUserInfo") { _ in
                let _: KeyPath<CBError, [String: Any]> = \.errorUserInfo
            },
            Symbol(292, "CBError.~=(_:_:) on Code") { check in
                let _: (CBError.Code, any Error) -> Bool = { $0 ~= $1 }
                check.equal(CBError.Code.invalidHandle ~= CBError(.invalidHandle), true)
            },
            Symbol(293, "CBError.errorDomain") { check in
                var value = CBError.errorDomain
                exactly(&value, String.self)
                check.equal(value, "CBErrorDomain")
            },
            Symbol(319, "CBError.unknown") { check in
                var value = CBError.unknown
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(320, "CBError.invalidParameters") { check in
                var value = CBError.invalidParameters
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(321, "CBError.invalidHandle") { check in
                var value = CBError.invalidHandle
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(322, "CBError.notConnected") { check in
                var value = CBError.notConnected
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(323, "CBError.outOfSpace") { check in
                var value = CBError.outOfSpace
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(324, "CBError.operationCancelled") { check in
                var value = CBError.operationCancelled
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(325, "CBError.connectionTimeout") { check in
                var value = CBError.connectionTimeout
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 6)
            },
            Symbol(326, "CBError.peripheralDisconnected") { check in
                var value = CBError.peripheralDisconnected
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 7)
            },
            Symbol(327, "CBError.uuidNotAllowed") { check in
                var value = CBError.uuidNotAllowed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 8)
            },
            Symbol(328, "CBError.alreadyAdvertising") { check in
                var value = CBError.alreadyAdvertising
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 9)
            },
            Symbol(329, "CBError.connectionFailed") { check in
                var value = CBError.connectionFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 10)
            },
            Symbol(330, "CBError.connectionLimitReached") { check in
                var value = CBError.connectionLimitReached
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 11)
            },
            Symbol(331, "CBError.unkownDevice") { check in
                var value = CBError.unkownDevice
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(332, "CBError.unknownDevice") { check in
                var value = CBError.unknownDevice
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(333, "CBError.operationNotSupported") { check in
                var value = CBError.operationNotSupported
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 13)
            },
            Symbol(334, "CBError.peerRemovedPairingInformation") { check in
                var value = CBError.peerRemovedPairingInformation
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 14)
            },
            Symbol(335, "CBError.encryptionTimedOut") { check in
                var value = CBError.encryptionTimedOut
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 15)
            },
            Symbol(336, "CBError.tooManyLEPairedDevices") { check in
                var value = CBError.tooManyLEPairedDevices
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 16)
            },
            Symbol(337, "CBError.leGattExceededBackgroundNotificationLimit") { check in
                var value = CBError.leGattExceededBackgroundNotificationLimit
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 17)
            },
            Symbol(338, "CBError.leGattNearBackgroundNotificationLimit") { check in
                var value = CBError.leGattNearBackgroundNotificationLimit
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 18)
            },
            Symbol(339, "CBError.channelSoundingConfigurationFailed") { check in
                var value = CBError.channelSoundingConfigurationFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 19)
            },
            Symbol(340, "CBError.channelSoundingProcedureFailed") { check in
                var value = CBError.channelSoundingProcedureFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 20)
            },
        ]
    }
}
