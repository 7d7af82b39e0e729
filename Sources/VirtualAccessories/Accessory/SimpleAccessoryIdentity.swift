// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// The random address from which an accessory advertises, and its rotation.
struct SimpleAccessoryIdentity: Sendable {
    /// The address that the controller has.
    private(set) var inUse: DeviceAddress
    /// The next address, which the accessory uses when it next starts to advertise.
    private var wanted: DeviceAddress?
    /// The instant of the next rotation; `nil` without rotation.
    private(set) var rotation: Instant?

    private let period: Duration?
    /// The identity resolving key of private addresses; `nil` if the accessory uses static ones.
    private let key: ResolvingKey?
    private var generator: SplitMix64

    /// Creates the identity. It begins with a private address if it rotates, and with the static
    /// address otherwise.
    ///
    /// - Parameters:
    ///   - address: The static address.
    ///   - period: The time between two rotations; `nil` for none.
    ///   - key: The key with which peers resolve the rotating addresses.
    ///   - now: The current time.
    init(_ address: DeviceAddress, rotating period: Duration?, key: HCI.Key128?, now: Instant) {
        inUse = address
        generator = SplitMix64(seed: address.value ^ 0x4C61_6E79_6172_6421)
        self.period = period
        self.key = period == nil ? nil : key.flatMap(ResolvingKey.init)
        guard self.key != nil else { return }
        change(now: now)
        inUse = takeWanted() ?? address
    }

    /// Returns the next address and makes it the one in use; `nil` if there is no change.
    mutating func takeWanted() -> DeviceAddress? {
        guard let wanted else { return nil }
        (inUse, self.wanted) = (wanted, nil)
        return wanted
    }

    /// Prepares another address.
    mutating func change(now: Instant) {
        wanted =
            key.flatMap { $0.makeAddress(using: &generator) }
            ?? .randomStatic(using: &generator)
        rotation = period.map { now + $0 }
    }
}

// The address of an accessory.
extension SimpleAccessory {
    /// Chooses the random address from which the accessory advertises when its controller is ready.
    ///
    /// - Returns: The random address; `nil` for the public address.
    mutating func beginIdentity(
        _ address: DeviceAddress?,
        _ capabilities: ControllerCapabilities,
        now: Instant
    ) -> DeviceAddress? {
        guard let address else {
            if let address = capabilities.publicAddress { security?.begin(address: address) }
            return nil
        }
        security?.begin(address: address)
        if identity == nil {
            let key = security?.resolvingKey ?? makeKey(address)
            identity = SimpleAccessoryIdentity(
                address,
                rotating: profile.rotation,
                key: key,
                now: now
            )
        }
        return identity?.takeWanted() ?? identity?.inUse
    }

    /// Changes the random address: at once if the accessory advertises, or else when it next
    /// advertises. Does nothing if the accessory uses the public address.
    mutating func changeAddress(now: Instant) {
        guard identity != nil else { return }
        identity?.change(now: now)
        guard link == nil, let capabilities = session.capabilities else { return }
        let plan = profile.advertisingPlan(publicAddress: capabilities.publicAddress)
        session.send(plan.disable(for: capabilities), now: now)
        if let address = identity?.takeWanted() {
            session.send(AccessoryAdvertisingPlan.use(address, for: capabilities), now: now)
        }
        session.send(plan.enable(for: capabilities), now: now)
    }

    /// Returns a resolving key for an accessory that does not pair. No peer receives the key, so no
    /// peer can resolve the addresses.
    private func makeKey(_ address: DeviceAddress) -> HCI.Key128 {
        var generator = SplitMix64(seed: address.value)
        return HCI.Key128(using: &generator)
    }
}

extension SimpleAccessoryProfile {
    /// The time for which the accessory uses a private address: at least one second; `nil` if it
    /// has none.
    fileprivate var rotation: Duration? {
        if case .rotating(let period) = address { max(period, .seconds(1)) } else { nil }
    }
}
