// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// What BlueZ's own monitor sees between Linux and its controller.
extension BlueZ {
    private static let monitor = "btmon"

    /// Begins to watch; see `sawHCI`.
    func watchHCI() async throws {
        // Into a pipe it would write when it has a page full; and hci1 is ours.
        try await spawn("exec stdbuf --output=L btmon --index hci0 --color never", as: Self.monitor)
        _ = try await output(of: Self.monitor) { $0.contains("Index Info") }
    }

    /// Waits until the monitor prints such a line; those that came before it and were not asked for
    /// count.
    @discardableResult
    func sawHCI(_ choose: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await output(of: Self.monitor, where: choose)
    }

    /// Waits until Linux has heard of a private address other than this, from now on.
    func heardPrivateAddress(otherThan known: DeviceAddress) async throws {
        try line.forgetEvents()
        try await sawHCI {
            $0.contains("Address: ") && $0.contains("(Resolvable)") && !$0.contains(known.digits)
        }
    }
}
