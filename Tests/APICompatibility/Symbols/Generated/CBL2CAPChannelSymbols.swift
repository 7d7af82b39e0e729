// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBL2CAPChannelSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(257, "CBL2CAPChannel") { _ in
                let _: NSObject.Type = CBL2CAPChannel.self
                let _: CBL2CAPChannel.Type = OpenCBL2CAPChannel.self
            },
            Symbol(258, "CBL2CAPChannel.init()") { _ in
                let _: () -> CBL2CAPChannel = CBL2CAPChannel.init
            },
            Symbol(259, "CBL2CAPChannel.peer") { _ in
                let _: KeyPath<CBL2CAPChannel, CBPeer?> = \.peer
                let _: (CBL2CAPChannel) -> CBPeer = { $0.peer }
            },
            Symbol(260, "CBL2CAPChannel.inputStream") { _ in
                let _: KeyPath<CBL2CAPChannel, InputStream?> = \.inputStream
                let _: (CBL2CAPChannel) -> InputStream = { $0.inputStream }
            },
            Symbol(261, "CBL2CAPChannel.outputStream") { _ in
                let _: KeyPath<CBL2CAPChannel, OutputStream?> = \.outputStream
                let _: (CBL2CAPChannel) -> OutputStream = { $0.outputStream }
            },
            Symbol(262, "CBL2CAPChannel.psm") { _ in
                let _: KeyPath<CBL2CAPChannel, CBL2CAPPSM> = \.psm
            },
        ]
    }
}

private class OpenCBL2CAPChannel: CBL2CAPChannel {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    override var peer: CBPeer! { super.peer }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    override var inputStream: InputStream! { super.inputStream }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    override var outputStream: OutputStream! { super.outputStream }

    override var psm: CBL2CAPPSM { super.psm }
}
