// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// What the controller knows of addresses: ours, and those of bonded peers (`AddressKeeper`).
extension HostCore {
    /// The private addresses of a host; nil if it shows its identity.
    static func ownAddresses(
        _ privacy: Privacy,
        _ identity: Pairing.LocalIdentity
    ) -> PrivateAddresses? {
        guard case .resolvable(let rotation) = privacy else { return nil }
        return PrivateAddresses(key: identity.resolvingKey, rotation: rotation)
    }

    /// Whether the host does not show who it is.
    var isPrivate: Bool { configuration.privacy != .off }

    /// The random address that the controller gets at start-up: the first that it ever shows. Nil if
    /// there is none to be had, which a private host does not start without.
    mutating func takeFirstAddress() -> DeviceAddress? {
        guard isPrivate else { return ownAddress }
        return addresses.own?.makeAddress(using: &randomness)
    }

    /// The random address that the controller has now.
    var shownAddress: DeviceAddress { addresses.own?.current ?? ownAddress }

    /// The controller is ready: addresses first, then those who use them.
    mutating func configureRadio(_ found: ControllerCapabilities, now: Instant) {
        let entries = recognisablePeers
        perform(addresses.want(entries, now: now), now: now)
        perform(addresses.configure(found, using: &randomness, now: now), now: now)
        perform(scheduler.configure(found, ownAddressKind: .random, now: now), now: now)
        let shown = shownAddress
        let actions = withSetAddresses { advertiser, setAddress in
            advertiser.configure(found, ownAddress: shown, setAddress: setAddress, now: now)
        }
        perform(actions, now: now)
    }

    /// An address for a new advertising set; nil: it has that of the host.
    mutating func takeSetAddress() -> DeviceAddress? {
        addresses.own?.makeAddress(using: &randomness)
    }

    /// Tells the controller whom to recognise, if that is not what it knows.
    mutating func updateRecognition(now: Instant) {
        perform(addresses.want(recognisablePeers, now: now), now: now)
    }

    /// The bonded peers with private addresses: those first whom somebody wants to reach, then those
    /// who were connected last.
    private var recognisablePeers: [ResolvingListKeeper.Entry] {
        let dialled = Set(dials.values.map(\.identity))
        let peers = bonds.reversed().compactMap(\.privatePeer)
        let sorted =
            peers.filter { dialled.contains($0.identity) }
            + peers.filter { !dialled.contains($0.identity) }
        let localKey = isPrivate ? localIdentity.resolvingKey : HCI.Key128()
        return sorted.map { .init(identity: $0.identity, peerKey: $0.key, localKey: localKey) }
    }

    private mutating func withSetAddresses(
        _ body: (inout Advertiser, () -> DeviceAddress?) -> [Advertiser.Action]
    ) -> [Advertiser.Action] {
        var generator = randomness
        let own = addresses.own
        defer { randomness = generator }
        return body(&advertiser) { own?.makeAddress(using: &generator) }
    }

    // MARK: - What the keeper wants

    mutating func perform(_ actions: [AddressKeeper.Action], now: Instant) {
        for action in actions { perform(action, now: now) }
    }

    private mutating func perform(_ action: AddressKeeper.Action, now: Instant) {
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
            // What was heard before the controller could recognise it says nothing against it.
            sightedAddresses.keep { [addresses] in !addresses.resolves($0) }
            reviewDials(now: now)
        }
    }

    mutating func privacyAnswered(_ step: PrivacyStep, _ result: CommandResult, now: Instant) {
        let actions = addresses.commandFinished(
            step,
            result: result,
            using: &randomness,
            now: now
        )
        perform(actions, now: now)
    }
}
