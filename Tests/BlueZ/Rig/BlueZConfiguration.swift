// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The main.conf of bluetoothd, and the detail of its log.
struct BlueZConfiguration: Sendable {
    /// Whether the log has every step, which takes a third of an emulated processor's time.
    /// LANYARD_BLUEZ_DEBUG=1 turns it on for all scenarios, to search for a fault.
    var isTalkative = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_DEBUG"] == "1"
    /// `off`, or `device` for addresses that change (`[General] Privacy`).
    var privacy: String?
    /// The number of ATT bearers of a link that bluetoothd offers and opens, including the first
    /// one, which is not enhanced.
    var channels: Int?

    /// The content of the file.
    var text: String {
        var sections = ["General": ["ControllerMode": "le"], "Policy": ["AutoEnable": "false"]]
        sections["General"]?["Privacy"] = privacy
        sections["GATT"] = channels.map { ["Channels": String($0)] }
        return sections.sorted { $0.key < $1.key }.map { name, members in
            let lines = members.sorted { $0.key < $1.key }.map { "\($0) = \($1)\n" }
            return "[\(name)]\n" + lines.joined()
        }.joined()
    }
}
