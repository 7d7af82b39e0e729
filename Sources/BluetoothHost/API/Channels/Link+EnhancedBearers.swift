// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothL2CAP

extension Link {
    /// Opens bearers for Enhanced ATT to the peer's server, on which reads go on beside what
    /// waits on the link's first bearer; writes keep their order there (Vol 3, Part G, 5.3).
    ///
    /// The link must be encrypted. A link has five such bearers at most, those that the peer opens
    /// included; the peer may give fewer than are asked for. Throws `L2CAP.Failure`: `notSupported`
    /// where the server does not offer them, `refused` with the peer's reason.
    public func openEnhancedBearers(_ count: Int = 1) async throws {
        let offered = try await read(uuid: GATT.AttributeType.serverSupportedFeatures)
        guard let features = offered.first?.value.first, features & 1 != 0 else {
            throw L2CAP.Failure.notSupported
        }
        try await host.openEnhancedBearers(count, on: identifier)
    }

    /// How many bearers the link has beside its first, by whichever side.
    public var enhancedBearerCount: Int {
        get async { await host.core.enhancedBearerCount(of: identifier) }
    }
}
