// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The packets between Linux and its controller, from BlueZ's own monitor.
extension BlueZ {
    private static let monitor = "btmon"

    /// Starts the monitor; see `sawHCI`.
    func watchHCI() async throws {
        // Into a pipe, btmon would write only full pages. hci1 is the controller that our host
        // uses.
        try await spawn("exec stdbuf --output=L btmon --index hci0 --color never", as: Self.monitor)
        _ = try await output(of: Self.monitor) { $0.contains("Index Info") }
    }

    /// Waits until the monitor prints a line for which `choose` returns `true`. Earlier lines that
    /// no call has consumed also count.
    @discardableResult
    func sawHCI(_ choose: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await output(of: Self.monitor, where: choose)
    }

    /// Waits until Linux receives an advertisement from a private address other than this one, from
    /// now on.
    func receivedPrivateAddress(otherThan known: DeviceAddress) async throws {
        try line.forgetEvents()
        try await sawHCI {
            $0.contains("Address: ") && $0.contains("(Resolvable)") && !$0.contains(known.digits)
        }
    }
}
