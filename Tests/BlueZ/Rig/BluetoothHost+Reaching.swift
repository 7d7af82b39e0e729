// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport

extension BluetoothHost {
    /// Connects to a peer after its discovery, so that a slow machine does not matter.
    ///
    /// btvirt makes a link only with a peer that advertises at that very moment, and Linux
    /// advertises again a moment after a link has ended. The host therefore waits for an
    /// advertisement first.
    func reach(_ address: DeviceAddress) async throws -> Link {
        try await within(Limits.discovery, "an advertisement of \(address)") { [self] in
            for try await received in scan() where received.address == address { return }
        }
        return try await connect(to: address, options: ConnectOptions(timeout: Limits.step))
    }
}
