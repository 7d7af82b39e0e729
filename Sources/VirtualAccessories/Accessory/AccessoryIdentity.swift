// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// From which random address an accessory advertises, and when it takes another.
struct AccessoryIdentity: Sendable {
    /// The address that the controller has.
    private(set) var inUse: DeviceAddress
    /// The one to have next, as soon as it does not advertise.
    private var wanted: DeviceAddress?
    /// When the next change is due; nil if none is.
    private(set) var rotation: Instant?

    private let period: Duration?
    /// What private addresses are made with; nil if it has static ones.
    private let key: ResolvingKey?
    private var generator: SplitMix64

    /// Begins with a static address. Where it rotates, `key` is what others know it again by.
    init(_ address: DeviceAddress, rotating period: Duration?, key: HCI.Key128?, now: Instant) {
        inUse = address
        generator = SplitMix64(seed: address.value ^ 0x4C61_6E79_6172_6421)
        self.period = period
        self.key = period == nil ? nil : key.flatMap(ResolvingKey.init)
        guard self.key != nil else { return }
        change(now: now)
        inUse = takeWanted() ?? address
    }

    /// The address to have from now on, if it is another one.
    mutating func takeWanted() -> DeviceAddress? {
        guard let wanted else { return nil }
        (inUse, self.wanted) = (wanted, nil)
        return wanted
    }

    /// Wants another address.
    mutating func change(now: Instant) {
        wanted =
            key.flatMap { $0.makeAddress(using: &generator) }
            ?? .randomStatic(using: &generator)
        rotation = period.map { now + $0 }
    }
}

// The address of an accessory.
extension SimpleAccessory {
    /// The controller is there: settles from which random address it advertises; nil for its public one.
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
            identity = AccessoryIdentity(address, rotating: profile.rotation, key: key, now: now)
        }
        return identity?.takeWanted() ?? identity?.inUse
    }

    /// Takes another address: at once, if it advertises, and else when it advertises again.
    mutating func changeAddress(now: Instant) {
        guard identity != nil else { return }
        identity?.change(now: now)
        guard link == nil, let capabilities = session.capabilities else { return }
        let plan = profile.advertisingPlan(publicAddress: capabilities.publicAddress)
        session.send(plan.disable(for: capabilities), now: now)
        if let address = identity?.takeWanted() {
            session.send(AdvertisingPlan.use(address, for: capabilities), now: now)
        }
        session.send(plan.enable(for: capabilities), now: now)
    }

    /// A key that nobody is ever told.
    private func makeKey(_ address: DeviceAddress) -> HCI.Key128 {
        var generator = SplitMix64(seed: address.value)
        return HCI.Key128(using: &generator)
    }
}

extension AccessoryProfile {
    /// How long it keeps a private address; nil if it has none.
    fileprivate var rotation: Duration? {
        if case .rotating(let period) = address { max(period, .seconds(1)) } else { nil }
    }
}
