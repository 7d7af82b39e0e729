// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The addresses in the controller: the host's own, and those of bonded peers (`AddressScheduler`).
extension HostCore {
    /// Returns the private addresses of a host, or `nil` if it uses its identity address.
    static func ownAddresses(
        _ privacy: Privacy,
        _ identity: Pairing.LocalIdentity
    ) -> PrivateAddresses? {
        guard case .resolvable(let rotation) = privacy else { return nil }
        return PrivateAddresses(key: identity.resolvingKey, rotation: rotation)
    }

    /// Whether the host uses private addresses.
    var isPrivate: Bool { configuration.privacy != .off }

    /// Returns the random address that the controller gets at startup, or `nil` if none could be
    /// made. A private host does not start without one.
    mutating func takeFirstAddress() -> DeviceAddress? {
        guard isPrivate else { return ownAddress }
        return addresses.own?.makeAddress(using: &context.randomness)
    }

    /// The random address that the controller has now.
    var shownAddress: DeviceAddress { addresses.own?.current ?? ownAddress }

    /// Configures the addresses of a ready controller first, and then the parts that use them.
    mutating func configureRadio(_ found: ControllerCapabilities, now: Instant) {
        let entries = recognizablePeers
        perform(addresses.request(entries, now: now), now: now)
        perform(addresses.configure(found, using: &context.randomness, now: now), now: now)
        context.server.setResolvesAddresses(addresses.list.isUsed)
        perform(scheduler.configure(found, ownAddressKind: .random, now: now), now: now)
        let shown = shownAddress
        let actions = withSetAddresses { advertiser, setAddress in
            advertiser.configure(found, ownAddress: shown, setAddress: setAddress, now: now)
        }
        perform(actions, now: now)
    }

    /// Returns an address for a new advertising set, or `nil` if the set uses the host's address.
    mutating func takeSetAddress() -> DeviceAddress? {
        addresses.own?.makeAddress(using: &context.randomness)
    }

    /// Updates the peers whose addresses the controller resolves.
    mutating func updateRecognition(now: Instant) {
        perform(addresses.request(recognizablePeers, now: now), now: now)
    }

    /// The bonded peers with private addresses. Peers with a connection request come first. Within
    /// each group, the peer that connected most recently comes first.
    private var recognizablePeers: [ResolvingListUpdater.Entry] {
        let requested = Set(connectionRequests.values.map(\.identity))
        let peers = bonds.reversed()
        let sorted =
            peers.filter { requested.contains($0.peer) }
            + peers.filter { !requested.contains($0.peer) }
        let localKey = isPrivate ? context.localIdentity.resolvingKey : HCI.Key128()
        return sorted.compactMap { bond in
            bond.resolvingKey.map { .init(identity: bond.peer, peerKey: $0, localKey: localKey) }
        }
    }

    private mutating func withSetAddresses(
        _ body: (inout Advertiser, () -> DeviceAddress?) -> [Advertiser.Action]
    ) -> [Advertiser.Action] {
        var generator = context.randomness
        let own = addresses.own
        defer { context.randomness = generator }
        return body(&advertiser) { own?.makeAddress(using: &generator) }
    }

    // MARK: - The actions of `AddressScheduler`

    mutating func perform(_ actions: [AddressScheduler.Action], now: Instant) {
        for action in actions { perform(action, now: now) }
    }

    private mutating func perform(_ action: AddressScheduler.Action, now: Instant) {
        switch action {
        case .command(let command, let step): send(command, for: .privacy(step), now: now)
        case .hold:
            perform(scheduler.hold(now: now), now: now)
            perform(advertiser.hold(now: now), now: now)
        case .release:
            perform(scheduler.release(now: now), now: now)
            perform(advertiser.release(now: now), now: now)
        case .addressChanged(let address):
            let actions = withSetAddresses { advertiser, setAddress in
                advertiser.changeAddresses(toHost: address, setAddress: setAddress, now: now)
            }
            perform(actions, now: now)
        case .recognitionChanged:
            // Addresses received before the controller could resolve them are obsolete.
            context.server.setResolvesAddresses(addresses.list.isUsed)
            recentAddresses.keep { [addresses] in !addresses.resolves($0) }
            reviewConnectionRequests(now: now)
        }
    }

    mutating func privacyAnswered(_ step: PrivacyStep, _ result: CommandResult, now: Instant) {
        let actions = addresses.commandFinished(
            step,
            result: result,
            using: &context.randomness,
            now: now
        )
        perform(actions, now: now)
    }
}
