// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBATTErrorSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(341, "CBATTError") { _ in
                let _: any CustomNSError.Type = CBATTError.self
                let _: any Hashable.Type = CBATTError.self
                let _: any Error.Type = CBATTError.self
                let _: any Sendable.Type = CBATTError.self
            },
            Symbol(342, "CBATTError.init(_:userInfo:)") { _ in
                let _: (CBATTError.Code, [String: Any]) -> CBATTError = CBATTError.init(_:userInfo:)
                let _: (CBATTError.Code) -> CBATTError = { CBATTError($0) }
            },
            Symbol(343, "CBATTError.init(_nsError:)") { _ in
                let _: (NSError) -> CBATTError = CBATTError.init(_nsError:)
            },
            Symbol(344, "CBATTError.code") { _ in
                let _: KeyPath<CBATTError, CBATTError.Code> = \.code
            },
            Symbol(345, "CBATTError.userInfo") { _ in
                let _: KeyPath<CBATTError, [String: Any]> = \.userInfo
            },
            Symbol(346, "CBATTError.localizedDescription") { _ in
                let _: KeyPath<CBATTError, String> = \.localizedDescription
            },
            Symbol(347, "CBATTError.errorCode") { _ in
                let _: KeyPath<CBATTError, Int> = \.errorCode
            },
            Symbol(348, "CBATTError.errorUserInfo") { _ in
                let _: KeyPath<CBATTError, [String: Any]> = \.errorUserInfo
            },
            Symbol(349, "CBATTError.~=(_:_:) on Code") { check in
                let _: (CBATTError.Code, any Error) -> Bool = { $0 ~= $1 }
                check.equal(CBATTError.Code.invalidHandle ~= CBATTError(.invalidHandle), true)
            },
            Symbol(350, "CBATTError.errorDomain") { check in
                var value = CBATTError.errorDomain
                exactly(&value, String.self)
                check.equal(value, "CBATTErrorDomain")
            },
            Symbol(372, "CBATTError.success") { check in
                var value = CBATTError.success
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(373, "CBATTError.invalidHandle") { check in
                var value = CBATTError.invalidHandle
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(374, "CBATTError.readNotPermitted") { check in
                var value = CBATTError.readNotPermitted
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(375, "CBATTError.writeNotPermitted") { check in
                var value = CBATTError.writeNotPermitted
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(376, "CBATTError.invalidPdu") { check in
                var value = CBATTError.invalidPdu
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(377, "CBATTError.insufficientAuthentication") { check in
                var value = CBATTError.insufficientAuthentication
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(378, "CBATTError.requestNotSupported") { check in
                var value = CBATTError.requestNotSupported
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 6)
            },
            Symbol(379, "CBATTError.invalidOffset") { check in
                var value = CBATTError.invalidOffset
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 7)
            },
            Symbol(380, "CBATTError.insufficientAuthorization") { check in
                var value = CBATTError.insufficientAuthorization
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 8)
            },
            Symbol(381, "CBATTError.prepareQueueFull") { check in
                var value = CBATTError.prepareQueueFull
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 9)
            },
            Symbol(382, "CBATTError.attributeNotFound") { check in
                var value = CBATTError.attributeNotFound
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 10)
            },
            Symbol(383, "CBATTError.attributeNotLong") { check in
                var value = CBATTError.attributeNotLong
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 11)
            },
            Symbol(384, "CBATTError.insufficientEncryptionKeySize") { check in
                var value = CBATTError.insufficientEncryptionKeySize
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 12)
            },
            Symbol(385, "CBATTError.invalidAttributeValueLength") { check in
                var value = CBATTError.invalidAttributeValueLength
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 13)
            },
            Symbol(386, "CBATTError.unlikelyError") { check in
                var value = CBATTError.unlikelyError
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 14)
            },
            Symbol(387, "CBATTError.insufficientEncryption") { check in
                var value = CBATTError.insufficientEncryption
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 15)
            },
            Symbol(388, "CBATTError.unsupportedGroupType") { check in
                var value = CBATTError.unsupportedGroupType
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 16)
            },
            Symbol(389, "CBATTError.insufficientResources") { check in
                var value = CBATTError.insufficientResources
                exactly(&value, CBATTError.Code.self)
                check.equal(value.rawValue, 17)
            },
        ]
    }
}
