// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What bluetoothd reads from its main.conf, and how much it says.
struct BlueZConfiguration: Sendable, Equatable {
    /// Whether its log tells each step: that takes an emulated processor a third of its time.
    /// LANYARD_BLUEZ_DEBUG=1 has it told always, for who looks for a fault.
    var isTalkative = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_DEBUG"] == "1"
    /// `off`, or `device` for addresses that change (`[General] Privacy`).
    var privacy: String?
    /// Whether it takes a pairing by Just Works from a peer with a bond: `never`, `confirm`, `always`.
    var justWorksRepairing: String?
    /// Whether it keeps what bonded (`yes`), all (`always`) or no peers serve (`no`).
    var cache: String?
    /// How many enhanced ATT bearers it offers and opens, 1 for none.
    var channels: Int?
    /// Other keys by section: `["GATT": ["ExchangeMTU": "23"]]`.
    var others: [String: [String: String]] = [:]

    /// The file.
    var text: String {
        var sections = ["General": ["ControllerMode": "le"], "Policy": ["AutoEnable": "false"]]
        let known: [(section: String, key: String, value: String?)] = [
            ("General", "Privacy", privacy),
            ("General", "JustWorksRepairing", justWorksRepairing),
            ("GATT", "Cache", cache),
            ("GATT", "Channels", channels.map(String.init)),
        ]
        for (section, key, value) in known where value != nil {
            sections[section, default: [:]][key] = value
        }
        sections.merge(others) { $0.merging($1) { $1 } }
        return sections.sorted { $0.key < $1.key }.map { name, members in
            let lines = members.sorted { $0.key < $1.key }.map { "\($0) = \($1)\n" }
            return "[\(name)]\n" + lines.joined()
        }.joined()
    }
}
