// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBATTErrorCodeSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(352, "CBATTError.Code") { check in
                check.isOpenEnumeration(CBATTError.Code.self)
                switch CBATTError.Code(rawValue: 0) {
                case .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu,
                    .insufficientAuthentication, .requestNotSupported, .invalidOffset,
                    .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
                    .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength,
                    .unlikelyError, .insufficientEncryption, .unsupportedGroupType,
                    .insufficientResources:
                    break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(353, "CBATTError.Code.init(rawValue:)") { check in
                let _: (Int) -> CBATTError.Code? = CBATTError.Code.init(rawValue:)
                check.equal(CBATTError.Code(rawValue: 0x80)?.rawValue, 0x80)
            },
            Symbol(354, "CBATTError.Code.success") { check in
                var value = CBATTError.Code.success
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(355, "CBATTError.Code.invalidHandle") { check in
                var value = CBATTError.Code.invalidHandle
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(356, "CBATTError.Code.readNotPermitted") { check in
                var value = CBATTError.Code.readNotPermitted
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(357, "CBATTError.Code.writeNotPermitted") { check in
                var value = CBATTError.Code.writeNotPermitted
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(358, "CBATTError.Code.invalidPdu") { check in
                var value = CBATTError.Code.invalidPdu
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(359, "CBATTError.Code.insufficientAuthentication") { check in
                var value = CBATTError.Code.insufficientAuthentication
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(360, "CBATTError.Code.requestNotSupported") { check in
                var value = CBATTError.Code.requestNotSupported
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 6)
            },
            Symbol(361, "CBATTError.Code.invalidOffset") { check in
                var value = CBATTError.Code.invalidOffset
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 7)
            },
            Symbol(362, "CBATTError.Code.insufficientAuthorization") { check in
                var value = CBATTError.Code.insufficientAuthorization
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 8)
            },
            Symbol(363, "CBATTError.Code.prepareQueueFull") { check in
                var value = CBATTError.Code.prepareQueueFull
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 9)
            },
            Symbol(364, "CBATTError.Code.attributeNotFound") { check in
                var value = CBATTError.Code.attributeNotFound
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 10)
            },
            Symbol(365, "CBATTError.Code.attributeNotLong") { check in
                var value = CBATTError.Code.attributeNotLong
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 11)
            },
            Symbol(366, "CBATTError.Code.insufficientEncryptionKeySize") { check in
                var value = CBATTError.Code.insufficientEncryptionKeySize
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(367, "CBATTError.Code.invalidAttributeValueLength") { check in
                var value = CBATTError.Code.invalidAttributeValueLength
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 13)
            },
            Symbol(368, "CBATTError.Code.unlikelyError") { check in
                var value = CBATTError.Code.unlikelyError
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 14)
            },
            Symbol(369, "CBATTError.Code.insufficientEncryption") { check in
                var value = CBATTError.Code.insufficientEncryption
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 15)
            },
            Symbol(370, "CBATTError.Code.unsupportedGroupType") { check in
                var value = CBATTError.Code.unsupportedGroupType
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 16)
            },
            Symbol(371, "CBATTError.Code.insufficientResources") { check in
                var value = CBATTError.Code.insufficientResources
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 17)
            },
        ]
    }
}
