// SPDX-License-Identifier: Apache-2.0

import JSONText

/// A radio of the host: a local adapter or a gateway.
struct FleetRadio: Hashable, Sendable {
    /// The name of the adapter, for example `gateway:hall.example:6403`.
    var name: String
    /// Whether the radio works. A gateway that cannot be reached does not work.
    var isUsable: Bool
    var linkCount: Int
    /// The number of links that the radio had when it refused another one; `nil` if it is unknown.
    var slotLimit: Int?
}

extension FleetCore {
    /// Receives the states of the host's radios, always in the same order.
    ///
    /// - Parameter moveCount: The number of links that were moved to another radio since the
    ///   beginning.
    mutating func radiosReported(_ radios: [FleetRadio], moveCount: Int = 0) {
        let before = self.radios
        self.radios = radios
        if moveCount > self.moveCount { measure(.moved(moveCount - self.moveCount)) }
        self.moveCount = moveCount
        for (index, radio) in radios.enumerated() {
            let last = before.indices.contains(index) ? before[index] : nil
            if let last, last.isUsable != radio.isUsable {
                let state = radio.isUsable ? "usable" : "not usable"
                actions.append(.log("The radio \(radio.name) is \(state)."))
            }
            if last != radio { publishRadio(index) }
        }
    }

    /// Publishes the states of all radios, for a broker that was just connected.
    mutating func publishRadios() {
        for index in radios.indices { publishRadio(index) }
    }

    /// Publishes a radio's state. Only the latest state counts, so the message does not wait in the
    /// queue.
    private mutating func publishRadio(_ index: Int) {
        guard connectedSince != nil else { return }
        let radio = radios[index]
        let state = JSON.compacting([
            "name": .string(radio.name),
            "status": .string(radio.isUsable ? "online" : "offline"),
            "links": .integer(radio.linkCount),
            "slotLimit": radio.slotLimit.map { .integer($0) },
        ])
        let message = FleetMessage(
            topic: topics.radio(index + 1),
            payload: state.compact,
            isRetained: true
        )
        actions.append(.publish(message, number: nil))
    }
}
