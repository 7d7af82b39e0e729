// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

/// Who a host is that serves an accessory.
struct HostIdentity: Equatable, Sendable {
    /// Nil: that of its store, which stays the same, or, without one, a new one.
    let address: DeviceAddress?
    let name: String
    let appearance: UInt16

    /// That of the accessory, at this address.
    init(of accessory: ServedAccessory, at address: DeviceAddress?) {
        self.address = address
        name = accessory.name
        appearance = accessory.appearance
    }

    func apply(to configuration: inout HostConfiguration) {
        configuration.address = address
        configuration.name = name
        configuration.appearance = appearance
    }
}

extension DeviceAddress {
    /// Reads a random static address, whose two highest bits are set (Vol 6, Part B, 1.3.2.1).
    static func randomStatic(_ text: String) throws(ProgramFailure) -> DeviceAddress {
        let digits = text.lowercased().hasSuffix("/random") ? text.dropLast(7) : text[...]
        guard let address = DeviceAddress(digits, kind: .random), address.value >> 46 == 0b11
        else {
            throw .usage(
                "'\(TerminalText.escape(text))' is no random static address",
                advice: "give one from C0:00:00:00:00:00 on"
            )
        }
        return address
    }
}
