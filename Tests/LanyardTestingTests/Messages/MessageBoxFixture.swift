// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import VirtualAccessories
import VirtualRadio

struct Question: Codable, Hashable, Sendable {
    var question: Int
}

/// An answer to a request, or a message.
struct Reply: Codable, Hashable, Sendable {
    var reply: Int
}

/// The UUIDs of the message box.
enum Box {
    static let service: BluetoothID = "4C414E59-4152-4400-A000-000000001D00"
    static let inbox: BluetoothID = "4C414E59-4152-4400-A000-000000001D01"
    static let outbox: BluetoothID = "4C414E59-4152-4400-A000-000000001D02"

    static let description = AccessoryDescription(
        kind: "message box",
        matching: .service(service),
        services: [ServiceDescription(service, [.write(inbox), .subscribe(outbox)])]
    )
}

extension TestWorld {
    func addMessageBox(at position: Position = Position(x: 2, y: 0)) throws -> ControllerID {
        try air.world.addController(
            ControllerConfiguration(name: "Message Box", at: position),
            host: SimpleAccessory(.messageBox(name: "Message Box"))
        )
    }

    /// Returns a central for message boxes on the phone, and the box when it is ready.
    func box(
        _ phone: TestPhone? = nil
    ) async throws -> (central: AccessoryCentral, accessory: Accessory) {
        var configuration = (phone ?? self.phone).configuration
        configuration.store = .memory
        let central = AccessoryCentral(for: [Box.description], configuration: configuration)
        return (central, try await central.pair(Box.description))
    }
}

extension Accessory {
    func boxMessages(
        _ options: MessageChannelOptions = MessageChannelOptions(),
        as kind: WriteKind = .automatic
    ) -> MessageChannel {
        messages(writing: Box.inbox, listening: Box.outbox, as: kind, options: options)
    }
}
