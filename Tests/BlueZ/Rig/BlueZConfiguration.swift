// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What bluetoothd reads from its main.conf, and how much it says.
struct BlueZConfiguration: Sendable {
    /// Whether its log tells each step: that takes an emulated processor a third of its time.
    /// LANYARD_BLUEZ_DEBUG=1 has it told always, for who looks for a fault.
    var isTalkative = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_DEBUG"] == "1"
    /// `off`, or `device` for addresses that change (`[General] Privacy`).
    var privacy: String?
    /// How many enhanced ATT bearers it offers and opens, 1 for none.
    var channels: Int?

    /// The file.
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
