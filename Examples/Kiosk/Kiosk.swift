// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Observation

/// A guest's badge. Its address changes, so its manufacturer data identifies it.
struct Badge: AccessoryProfile {
    static let kind = "badge"
    static let service: BluetoothID = "4C414E59-4152-4400-A000-000000001F00"

    let messages = MessagePair(
        writing: "4C414E59-4152-4400-A000-000000001F01",
        listening: "4C414E59-4152-4400-A000-000000001F02"
    )

    static func configure(_ badge: inout AccessoryDescription) {
        badge.identity = .manufacturerData(company: 0xFFFF, range: 0..<4)
    }
}

struct Note: Codable, Hashable { var text: String }

/// The screen of the kiosk: the badges nearby, the paired ones, and their latest answers.
@MainActor @Observable
final class Kiosk {
    let screen: CentralModel
    let nearby: NearbyModel
    private(set) var answers: [Accessory.ID: String] = [:]
    private let sealing: AuthenticatedCBCSealing
    private var channels: [Accessory.ID: MessageChannel] = [:]

    init(sealing: AuthenticatedCBCSealing, configuration: AccessoryCentral.Configuration) {
        self.sealing = sealing
        screen = CentralModel(for: [Badge.description], configuration: configuration)
        nearby = NearbyModel(screen.central, for: Badge.description)
    }

    /// Pairs the badge that a person tapped.
    func tap(_ device: NearbyDevice) async {
        await screen.pair(Badge.description, with: device)
    }

    /// Sends a note to a badge, as soon as it is connected, and shows the answer.
    func send(_ text: String, to badge: AccessoryModel) async {
        await screen.perform {
            try await badge.accessory.untilReady()
            let messages = try channel(to: badge.accessory)
            let answer = try await messages.request(Note(text: text), expecting: Note.self)
            answers[badge.id] = answer.text
        }
    }

    private func channel(to badge: Accessory) throws -> MessageChannel {
        if let channel = channels[badge.id] { return channel }
        let messages = try TypedAccessory(badge, as: Badge.self).messages
        channels[badge.id] = messages.channel(options: .init(sealing: sealing))
        return try channel(to: badge)
    }
}
