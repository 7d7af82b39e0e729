// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothL2CAP

extension Link {
    /// Opens bearers for Enhanced ATT to the peer's server (Vol 3, Part G, 5.3).
    ///
    /// A read uses the bearer with the fewest operations. All other operations use the link's first
    /// bearer and keep their order. The link must be encrypted. A link has at most five additional
    /// bearers, including those that the peer opens. If the peer refuses the request for lack of
    /// resources, the host sends it once more, because both sides may have sent a request at the
    /// same time (Vol 3, Part G, 5.4).
    ///
    /// - Parameter count: The number of bearers to request. The peer may grant fewer.
    /// - Throws: `L2CAP.Failure`: `notSupported` if the server does not support Enhanced ATT,
    ///   `noRoom` if the link would have more than five additional bearers, `refused` with the
    ///   peer's reason. Also the errors of a GATT operation (see ``Link``), because the host first
    ///   reads the features of the server: `GATT.Failure.attribute` with `attributeNotFound` if the
    ///   server does not publish its features.
    public func openEnhancedBearers(_ count: Int = 1) async throws {
        let offered = try await read(uuid: GATT.AttributeType.serverSupportedFeatures)
        guard let features = offered.first?.value.first, features & 1 != 0 else {
            throw L2CAP.Failure.notSupported
        }
        _ = try await host.request(.enhancedBearers(count), of: identifier)
    }

    /// The number of additional bearers that either side has opened on the link.
    public var enhancedBearerCount: Int {
        get async { await host.core.enhancedBearerCount(of: identifier) }
    }
}
