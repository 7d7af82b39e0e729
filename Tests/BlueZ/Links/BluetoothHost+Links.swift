// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

extension HostConfiguration {
    /// A configuration whose user consents to every pairing.
    static var bonding: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.pairingDelegate = Person()
        return configuration
    }

    /// The configuration `bonding` with private addresses, each for 4 seconds.
    static var bondingPrivately: HostConfiguration {
        var configuration = bonding
        configuration.privacy = .resolvable(rotation: .seconds(4))
        return configuration
    }
}

extension BluetoothHost {
    /// Advertises a name.
    func advertise(as name: String) async throws -> AdvertisingSet {
        try await advertise(Advertising(AdvertisingContent(localName: name)))
    }

    /// Waits for a discovery with this name for which `choose` returns `true`.
    func awaitDiscovery(
        _ name: String,
        where choose: @escaping @Sendable (Advertisement) -> Bool = { _ in true }
    ) async throws -> Advertisement {
        let found = try await within(Limits.discovery, "an advertisement") { [self] in
            for try await received in scan()
            where received.data.localName == name && choose(received) {
                return received as Advertisement?
            }
            return nil
        }
        return try #require(found)
    }

    /// Waits for the next link that a peer makes to this host while `body` runs.
    func incomingLink(
        during body: @escaping @Sendable () async throws -> Void
    ) async throws -> Link {
        let links = incomingLinks
        async let done: Void = body()
        let link = try await within(Limits.discovery, "a link") {
            for await link in links { return link as Link? }
            return nil
        }
        try await done
        return try #require(link)
    }
}

extension BlueZ {
    /// Makes BlueZ pair with our host, until both have all keys: BlueZ sends its last packet after
    /// it has reported success.
    func pair(_ path: String, with host: BluetoothHost) async throws {
        let events = await host.securityEvents()
        let isNew = try await pair(path)
        let hasBond = await !host.bonds.isEmpty
        if isNew || !hasBond { try await ServingHostFixture.keys(in: events) }
    }

    /// The number of property changes that may be about a device that BlueZ has removed.
    private static let changeLimit = 10

    /// Returns the D-Bus path of the device with this identity address: the path of the address
    /// under which BlueZ discovered it first, which may be private.
    func known(as identity: DeviceAddress) async throws -> String {
        let digits = identity.digits.uppercased()
        for _ in 0..<Self.changeLimit {
            let devices = try await call("devices").members
            if let known = devices.first(where: { $0.value["Address"].text == digits }) {
                return known.key
            }
            _ = try await event("changed") { $0["properties"]["Address"].text == digits }
        }
        throw Refusal("NotFound", text: digits)
    }
}

extension DeviceAddress {
    /// Creates the address in a D-Bus path of BlueZ: `/org/bluez/hci0/dev_C4_F0_00_00_00_01`.
    init?(ofBlueZPath path: String) {
        self.init(path.suffix(17).replacing("_", with: ":"), kind: .random)
    }
}
