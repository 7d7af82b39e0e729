// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A world with a phone, a sensor and a third device. The phone and the sensor are in each other's
/// resolving lists, and resolution is on. The sensor's identity is a random static address, and
/// the phone's identity is its public address.
final class PrivacyFixture {
    static let sensorIdentity = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)

    let world: World
    let phone: TestHost
    let sensor: TestHost
    let unknownPeer: TestHost
    let sniffer: Sniffer
    /// The key of the phone's private addresses.
    let phoneKey: HCI.Key128
    /// The key of the sensor's private addresses.
    let sensorKey: HCI.Key128

    init(seed: UInt64 = 1) throws {
        world = World(seed: seed)
        phone = try TestHost(world, "phone", at: 0)
        sensor = try TestHost(world, "sensor", at: 1)
        unknownPeer = try TestHost(world, "unknownPeer", at: 2)
        sniffer = Sniffer(world)
        phoneKey = try .repeating(0x11)
        sensorKey = try .repeating(0x22)
        try phone.unmaskEverything()
        try sensor.unmaskEverything()
        let random = HCI.BareAddress(Self.sensorIdentity)
        try sensor.perform(HCI.LESetRandomAddress(address: random))
        try introduce(phone, to: Self.sensorIdentity, sensorKey, by: phoneKey)
        try introduce(sensor, to: phoneIdentity, phoneKey, by: sensorKey)
        for host in [phone, sensor] { try host.setResolution(true) }
    }

    /// The phone's identity address.
    var phoneIdentity: DeviceAddress { phone.publicAddress }

    /// The sensor's current private address for the phone.
    var sensorAddress: DeviceAddress {
        get throws {
            try sensor.perform(
                HCI.LEReadLocalResolvableAddress(peerIdentity: HCI.PeerAddress(phoneIdentity))
            ).address.deviceAddress(.random)
        }
    }

    /// Makes the sensor advertise with private addresses that it makes for the phone.
    func advertise(
        _ type: HCI.AdvertisingType = .connectableUndirected,
        own: HCI.OwnAddressType = .resolvableOrRandom,
        policy: HCI.AdvertisingFilterPolicy = .unfiltered
    ) throws {
        try sensor.advertise(type, own: own, peer: phoneIdentity, policy: policy)
    }

    /// Makes the phone initiate a connection to the sensor, by its identity or by the Filter Accept
    /// List.
    func connect(
        _ policy: HCI.InitiatorFilterPolicy = .peerAddress,
        own: HCI.OwnAddressType = .resolvableOrPublic,
        to peer: HCI.PeerAddress = HCI.PeerAddress(sensorIdentity)
    ) throws {
        phone.forget()
        sensor.forget()
        let command = HCI.LECreateConnection(
            scanInterval: HCI.ScanInterval(rawValue: 0x10),
            scanWindow: HCI.ScanInterval(rawValue: 0x10),
            filterPolicy: policy,
            peerAddress: peer,
            ownAddressType: own,
            parameters: HCI.ConnectionParameters(
                intervalMinimum: HCI.ConnectionInterval(rawValue: 24),
                intervalMaximum: HCI.ConnectionInterval(rawValue: 24),
                peripheralLatency: 0,
                supervisionTimeout: HCI.Timeout(rawValue: 100)
            )
        )
        #expect(try phone.status(command) == .success)
    }

    /// The addresses in the sensor's legacy advertisements, in order, without repetition.
    var advertisers: [DeviceAddress] {
        sniffer.packets.filter { $0.sender == sensor.id.radio }.compactMap(\.legacy?.advertiser)
            .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The connection requests, in order.
    var connectionRequests: [ConnectIndication] {
        sniffer.packets.compactMap {
            if case .connectionRequest(let request) = $0.pdu { request } else { nil }
        }
    }

    private func introduce(
        _ host: TestHost,
        to peer: DeviceAddress,
        _ peerKey: HCI.Key128,
        by localKey: HCI.Key128
    ) throws {
        try host.perform(
            HCI.LEAddDeviceToResolvingList(
                peerIdentity: HCI.PeerAddress(peer),
                peerKey: peerKey,
                localKey: localKey
            )
        )
    }
}

extension TestHost {
    /// The results of all connection attempts, from both enhanced versions of the event.
    var connections: [HCI.LEEnhancedConnectionComplete] {
        events.compactMap { event in
            switch event {
            case .enhancedConnectionComplete(let event): event
            case .enhancedConnectionCompleteV2(let event): event.connection
            default: nil
            }
        }
    }
}
