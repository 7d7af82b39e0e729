// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting

// Accessories of these tests: a lock that must be paired, and a box that exchanges messages.

extension AccessoryDescription {
    static let lock: AccessoryDescription = {
        var lock = AccessoryDescription(
            kind: "lock",
            matching: .service("1C00"),
            services: [ServiceDescription("1C00", [.read("1C01"), .subscribe("1C02")])]
        )
        lock.pairing = .required(probing: "1C01")
        return lock
    }()

    static let box = AccessoryDescription(
        kind: "box",
        matching: .service("1B00"),
        services: [
            ServiceDescription("1B00", [.write("1B01"), .subscribe("1B02")]),
            ServiceDescription("1B10", [.write("1B11"), .write("1B12"), .read("1B13")]),
        ]
    )

    func with(_ change: (inout AccessoryDescription) -> Void) -> AccessoryDescription {
        var copy = self
        change(&copy)
        return copy
    }
}

extension VirtualAccessory {
    static let lock = VirtualAccessory(
        "Lock",
        services: [
            VirtualService("1C00", [.readable("1C01", [1]).protected(), .notifying("1C02", [0])])
        ]
    )

    static let box = VirtualAccessory(
        "Box",
        services: [
            .jsonMessages("1B00", writing: "1B01", notifying: "1B02") { (question: BoxQuestion) in
                question.text == "silence" ? nil : BoxAnswer(text: "\(question.text)? yes")
            },
            VirtualService(
                "1B10",
                [
                    .writable("1B11") { $0 == [0xFF] ? .refuses(code: 0x80) : .accepts },
                    .writable("1B12").withoutResponse(),
                    .readable("1B13", [1]),
                ]
            ),
        ],
        advertisedServices: ["1B00"]
    )
}

struct BoxQuestion: Codable, Sendable {
    var text: String
}

struct BoxAnswer: Codable, Sendable, Equatable {
    var text: String
}

extension TestPhone {
    /// Returns the central of the test's app, for accessories of these kinds.
    func central(
        _ descriptions: AccessoryDescription...,
        change: (inout AccessoryCentral.Configuration) -> Void = { _ in }
    ) -> AccessoryCentral {
        launch {
            var configuration = $0
            change(&configuration)
            return AccessoryCentral(for: descriptions, configuration: configuration)
        }
    }
}

extension FlightRecorder {
    /// The recorded states of all accessories, in order.
    var steps: [String] { recording.events.filter { $0.lane == .state }.map(\.text) }

    /// Returns the number of calls to Core Bluetooth with this prefix so far.
    func count(of call: String) -> Int {
        recording.events.count { $0.lane == .call && $0.text.hasPrefix(call) }
    }
}

extension Story {
    /// Returns the states of an accessory in the story, in order, without repetitions.
    func states(of name: String) -> [String] {
        texts.reduce(into: []) { states, text in
            guard text.hasPrefix(name + ": ") else { return }
            let state = String(text.dropFirst(name.count + 2).prefix { $0 != ":" })
            if states.last != state { states.append(state) }
        }
    }
}
