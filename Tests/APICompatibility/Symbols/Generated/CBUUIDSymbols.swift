// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBUUIDSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(263, "CBUUID") { _ in
                let _: NSObject.Type = CBUUID.self
                let _: any NSCopying.Type = CBUUID.self
                let _: CBUUID.Type = OpenCBUUID.self
            },
            Symbol(264, "CBUUID.init()") { _ in
                let _: () -> CBUUID = CBUUID.init
            },
            Symbol(265, "CBUUID.init(string:)") { _ in
                let _: (String) -> CBUUID = CBUUID.init(string:)
            },
            Symbol(266, "CBUUID.init(data:)") { _ in
                let _: (Data) -> CBUUID = CBUUID.init(data:)
            },
            Symbol(267, "CBUUID.init(cfuuid:)") { _ in
                let _: (CFUUID) -> CBUUID = CBUUID.init(cfuuid:)
            },
            Symbol(268, "CBUUID.init(nsuuid:)") { _ in
                let _: (UUID) -> CBUUID = CBUUID.init(nsuuid:)
            },
            Symbol(269, "CBUUID.data") { _ in
                let _: KeyPath<CBUUID, Data> = \.data
            },
            Symbol(270, "CBUUID.uuidString") { _ in
                let _: KeyPath<CBUUID, String> = \.uuidString
            },
            Symbol(271, "CBUUID.copy(with:)") { _ in
                let _: (CBUUID) -> (NSZone?) -> Any = CBUUID.copy(with:)
                let _: (CBUUID) -> Any = { $0.copy() }
            },
            Symbol(272, "CBUUID.isEqual(_:)") { _ in
                let _: (CBUUID) -> (Any?) -> Bool = CBUUID.isEqual(_:)
            },
            Symbol(273, "CBUUID.hash") { _ in
                let _: KeyPath<CBUUID, Int> = \.hash
            },
            Symbol(274, "CBUUID.description") { _ in
                let _: KeyPath<CBUUID, String> = \.description
            },
        ]
    }
}

private class OpenCBUUID: CBUUID {
    override var data: Data { super.data }

    override var uuidString: String { super.uuidString }

    override func copy(with zone: NSZone? = nil) -> Any {
        super.copy(with: zone)
    }

    override func isEqual(_ object: Any?) -> Bool {
        super.isEqual(object)
    }

    override var hash: Int { super.hash }

    override var description: String { super.description }
}
