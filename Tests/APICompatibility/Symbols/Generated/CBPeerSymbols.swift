// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeerSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(90, "CBPeer") { _ in
                let _: NSObject.Type = CBPeer.self
                let _: any NSCopying.Type = CBPeer.self
                let _: CBPeer.Type = OpenCBPeer.self
            },
            Symbol(92, "CBPeer.identifier") { _ in
                let _: KeyPath<CBPeer, UUID> = \.identifier
            },
            Symbol(93, "CBPeer.copy(with:)") { _ in
                let _: (CBPeer) -> (NSZone?) -> Any = CBPeer.copy(with:)
                let _: (CBPeer) -> Any = { $0.copy() }
            },
        ]
    }
}

private class OpenCBPeer: CBPeer {
    override var identifier: UUID { super.identifier }

    override func copy(with zone: NSZone? = nil) -> Any {
        super.copy(with: zone)
    }
}
