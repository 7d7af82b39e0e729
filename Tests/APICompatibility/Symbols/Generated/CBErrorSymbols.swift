// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBErrorSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(283, "CBError") { _ in
                let _: any CustomNSError.Type = CBError.self
                let _: any Hashable.Type = CBError.self
                let _: any Error.Type = CBError.self
                let _: any Sendable.Type = CBError.self
            },
            Symbol(284, "CBError.init(_:userInfo:)") { _ in
                let _: (CBError.Code, [String: Any]) -> CBError = CBError.init(_:userInfo:)
                let _: (CBError.Code) -> CBError = { CBError($0) }
            },
            Symbol(285, "CBError.init(_nsError:)") { _ in
                let _: (NSError) -> CBError = CBError.init(_nsError:)
            },
            Symbol(286, "CBError.code") { _ in
                let _: KeyPath<CBError, CBError.Code> = \.code
            },
            Symbol(287, "CBError.userInfo") { _ in
                let _: KeyPath<CBError, [String: Any]> = \.userInfo
            },
            Symbol(288, "CBError.localizedDescription") { _ in
                let _: KeyPath<CBError, String> = \.localizedDescription
            },
            Symbol(289, "CBError.errorCode") { _ in
                let _: KeyPath<CBError, Int> = \.errorCode
            },
            Symbol(290, "CBError.errorUserInfo") { _ in
                let _: KeyPath<CBError, [String: Any]> = \.errorUserInfo
            },
            Symbol(291, "CBError.~=(_:_:) on Code") { check in
                let _: (CBError.Code, any Error) -> Bool = { $0 ~= $1 }
                check.equal(CBError.Code.invalidHandle ~= CBError(.invalidHandle), true)
            },
            Symbol(292, "CBError.errorDomain") { check in
                var value = CBError.errorDomain
                exactly(&value, String.self)
                check.equal(value, "CBErrorDomain")
            },
            Symbol(318, "CBError.unknown") { check in
                var value = CBError.unknown
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(319, "CBError.invalidParameters") { check in
                var value = CBError.invalidParameters
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(320, "CBError.invalidHandle") { check in
                var value = CBError.invalidHandle
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(321, "CBError.notConnected") { check in
                var value = CBError.notConnected
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(322, "CBError.outOfSpace") { check in
                var value = CBError.outOfSpace
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(323, "CBError.operationCancelled") { check in
                var value = CBError.operationCancelled
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(324, "CBError.connectionTimeout") { check in
                var value = CBError.connectionTimeout
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 6)
            },
            Symbol(325, "CBError.peripheralDisconnected") { check in
                var value = CBError.peripheralDisconnected
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 7)
            },
            Symbol(326, "CBError.uuidNotAllowed") { check in
                var value = CBError.uuidNotAllowed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 8)
            },
            Symbol(327, "CBError.alreadyAdvertising") { check in
                var value = CBError.alreadyAdvertising
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 9)
            },
            Symbol(328, "CBError.connectionFailed") { check in
                var value = CBError.connectionFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 10)
            },
            Symbol(329, "CBError.connectionLimitReached") { check in
                var value = CBError.connectionLimitReached
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 11)
            },
            Symbol(330, "CBError.unkownDevice") { check in
                var value = CBError.unkownDevice
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(331, "CBError.unknownDevice") { check in
                var value = CBError.unknownDevice
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(332, "CBError.operationNotSupported") { check in
                var value = CBError.operationNotSupported
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 13)
            },
            Symbol(333, "CBError.peerRemovedPairingInformation") { check in
                var value = CBError.peerRemovedPairingInformation
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 14)
            },
            Symbol(334, "CBError.encryptionTimedOut") { check in
                var value = CBError.encryptionTimedOut
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 15)
            },
            Symbol(335, "CBError.tooManyLEPairedDevices") { check in
                var value = CBError.tooManyLEPairedDevices
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 16)
            },
            Symbol(336, "CBError.leGattExceededBackgroundNotificationLimit") { check in
                var value = CBError.leGattExceededBackgroundNotificationLimit
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 17)
            },
            Symbol(337, "CBError.leGattNearBackgroundNotificationLimit") { check in
                var value = CBError.leGattNearBackgroundNotificationLimit
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 18)
            },
            Symbol(338, "CBError.channelSoundingConfigurationFailed") { check in
                var value = CBError.channelSoundingConfigurationFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 19)
            },
            Symbol(339, "CBError.channelSoundingProcedureFailed") { check in
                var value = CBError.channelSoundingProcedureFailed
                exactly(&value, CBError.Code.self)
                check.equal(value.rawValue, 20)
            },
        ]
    }
}
