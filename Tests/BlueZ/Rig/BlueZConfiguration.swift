// SPDX-License-Identifier: Apache-2.0

/// What bluetoothd reads from its main.conf.
struct BlueZConfiguration: Sendable, Equatable {
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
