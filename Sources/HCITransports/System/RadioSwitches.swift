// SPDX-License-Identifier: Apache-2.0

/// The switches that keep radios silent: rfkill, as /sys shows it.
package struct RadioSwitch: Hashable, Sendable {
    /// Somebody wants the radio off: `rfkill block bluetooth`, or a desktop's aeroplane mode.
    package let isOffByWish: Bool
    /// A switch, a key or the firmware has it off, and no program can switch it on.
    package let isOffByHardware: Bool

    package init(isOffByWish: Bool, isOffByHardware: Bool) {
        self.isOffByWish = isOffByWish
        self.isOffByHardware = isOffByHardware
    }

    /// Whether the radio is off.
    package var isOff: Bool { isOffByWish || isOffByHardware }
}

/// Finds the switches of adapters.
struct RadioSwitches: Sendable {
    private let files: any SystemFiles

    init(_ files: any SystemFiles) {
        self.files = files
    }

    /// The adapter's own switch; nil if it has none. It stands in the adapter's folder: `rfkill3`.
    func of(adapter index: UInt16) -> RadioSwitch? {
        let folder = "/sys/class/bluetooth/hci\(index)"
        let names = files.names(in: folder)
        guard let name = names.first(where: { $0.hasPrefix("rfkill") }) else { return nil }
        return RadioSwitch(
            isOffByWish: isSet("\(folder)/\(name)/soft"),
            isOffByHardware: isSet("\(folder)/\(name)/hard")
        )
    }

    private func isSet(_ path: String) -> Bool {
        files.text(of: path)?.first == "1"
    }
}
