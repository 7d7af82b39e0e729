// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport

extension BluetoothHost {
    /// Connects to whom is heard on the air, however busy the machine is.
    ///
    /// btvirt makes a link only with who advertises at that very moment, and Linux begins to again a
    /// moment after a link has ended: so it is heard first.
    func reach(_ address: DeviceAddress) async throws -> Link {
        try await within(Limits.discovery, "an advertisement of \(address)") { [self] in
            for try await heard in scan() where heard.address == address { return }
        }
        return try await connect(to: address, options: ConnectOptions(timeout: Limits.step))
    }
}
