// SPDX-License-Identifier: Apache-2.0

/// The switch that turns off the radio of an adapter: rfkill, as /sys shows it.
package struct RadioSwitch: Hashable, Sendable {
    /// Whether software has turned the radio off, for example `rfkill block bluetooth` or the
    /// airplane mode of a desktop.
    package let isSoftBlocked: Bool
    /// Whether a switch, a key or the firmware has turned the radio off. No program can then turn
    /// it on.
    package let isHardBlocked: Bool

    package init(isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }

    /// Whether the radio is off.
    package var isOff: Bool { isSoftBlocked || isHardBlocked }
}

struct RadioSwitches: Sendable {
    private let files: any SystemFiles

    init(_ files: any SystemFiles) {
        self.files = files
    }

    /// Returns the switch of an adapter, or `nil` if it has none. It is a directory such as
    /// `rfkill3` in the adapter's directory.
    func radioSwitch(ofAdapter index: UInt16) -> RadioSwitch? {
        let folder = "/sys/class/bluetooth/hci\(index)"
        let names = files.names(in: folder)
        guard let name = names.first(where: { $0.hasPrefix("rfkill") }) else { return nil }
        return RadioSwitch(
            isSoftBlocked: isSet("\(folder)/\(name)/soft"),
            isHardBlocked: isSet("\(folder)/\(name)/hard")
        )
    }

    private func isSet(_ path: String) -> Bool {
        files.text(of: path)?.first == "1"
    }
}
