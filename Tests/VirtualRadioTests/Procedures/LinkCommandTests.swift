// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

/// Two hosts in a world with a link that is made directly. They send commands and receive events.
@Suite("Commands for links")
struct LinkCommandTests {
    /// Two hosts, and the handle that each host has for their link.
    struct Pair {
        let world: World
        let central: TestHost
        let peripheral: TestHost
        let centralHandle: ConnectionHandle
        let peripheralHandle: ConnectionHandle

        init(_ adjust: (inout ControllerConfiguration) -> Void = { _ in }) throws {
            world = World(seed: 3)
            var configuration = ControllerConfiguration(name: "central")
            adjust(&configuration)
            central = try TestHost(world, configuration)
            peripheral = try TestHost(world, configuration)
            for host in [central, peripheral] {
                try host.perform(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
                try host.perform(HCI.SetEventMaskPage2(mask: HCI.EventMaskPage2(rawValue: 1 << 23)))
                try host.perform(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFF)))
            }
            let addresses = world.core.controllers.map(\.publicAddress)
            let proposal = LinkProposal(
                central: central.id.radio,
                centralAddress: addresses[0],
                peripheralAddress: addresses[1],
                parameters: LinkParameters(
                    interval: .milliseconds(30),
                    latency: 0,
                    supervisionTimeout: .seconds(2)
                )
            )
            let proposed = world.core.ether.proposeLink(proposal)
            let link = try #require(proposed)
            let joined = world.core.ether.joinLink(
                link,
                as: peripheral.id.radio,
                LinkIdentity(peer: addresses[0]),
                advertisingSet: nil
            )
            peripheralHandle = try #require(joined)
            world.core.ether.openLink(link, LinkIdentity(peer: addresses[1]))
            centralHandle = try #require(world.core.ether.links[link]?.central?.handle)
            world.run(for: .seconds(1))
            central.forget()
            peripheral.forget()
        }

        /// Encrypts the link.
        func encrypt(_ bytes: [UInt8] = [UInt8](1...16), other: [UInt8]? = nil) throws {
            let key = try #require(HCI.Key128(bytes))
            let command = HCI.LEEnableEncryption(
                connectionHandle: centralHandle,
                random: 7,
                encryptedDiversifier: 8,
                longTermKey: key
            )
            #expect(try central.status(command) == .success)
            world.run(for: .milliseconds(300))
            try peripheral.perform(
                HCI.LELongTermKeyRequestReply(
                    connectionHandle: peripheralHandle,
                    longTermKey: try #require(HCI.Key128(other ?? bytes))
                )
            )
            world.run(for: .milliseconds(300))
        }
    }

    private func disconnection(_ host: TestHost) -> HCI.ErrorCode? {
        for case .disconnectionComplete(let event) in host.events { return event.reason }
        return nil
    }

    private static let nowhere = ConnectionHandle(rawValue: 0x0EEE)

    @Test(
        "Disconnect accepts exactly seven reasons",
        arguments: [
            UInt8(0x05), 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B,
        ]
    )
    func reasons(code: UInt8) throws {
        let pair = try Pair()
        for bad in UInt8.min...UInt8.max
        where ![0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B].contains(bad) {
            let command = HCI.Disconnect(
                connectionHandle: pair.centralHandle,
                reason: HCI.ErrorCode(rawValue: bad)
            )
            try #require(try pair.central.status(command) == .invalidCommandParameters)
        }
        let reason = HCI.ErrorCode(rawValue: code)
        let command = HCI.Disconnect(connectionHandle: pair.centralHandle, reason: reason)
        #expect(try pair.central.status(command) == .success)
        pair.world.run(for: .milliseconds(100))
        #expect(disconnection(pair.central) == .connectionTerminatedByLocalHost)
        #expect(disconnection(pair.peripheral) == reason)
        #expect(try pair.central.status(command) == .unknownConnectionIdentifier)
    }

    @Test("An unknown handle is refused before any other error")
    func unknownHandle() throws {
        let host = try Pair().central
        let nowhere = Self.nowhere
        let key = try #require(HCI.Key128([UInt8](1...16)))
        let pace = HCI.ConnectionParameters(
            intervalMinimum: HCI.ConnectionInterval(rawValue: 1),
            intervalMaximum: HCI.ConnectionInterval(rawValue: 1),
            supervisionTimeout: HCI.Timeout(rawValue: 1)
        )
        let codes = [
            try host.status(HCI.Disconnect(connectionHandle: nowhere, reason: .success)),
            try host.status(HCI.ReadRemoteVersionInformation(connectionHandle: nowhere)),
            try host.status(HCI.LEReadRemoteFeatures(connectionHandle: nowhere)),
            try host.status(HCI.LEConnectionUpdate(connectionHandle: nowhere, parameters: pace)),
            try host.status(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: nowhere,
                    parameters: pace
                )
            ),
            try host.status(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    connectionHandle: nowhere,
                    reason: .unacceptableConnectionParameters
                )
            ),
            try host.status(
                HCI.LESetDataLength(
                    connectionHandle: nowhere,
                    transmitBytes: 251,
                    transmitTime: HCI.AirTime(rawValue: 2_120)
                )
            ),
            try host.status(HCI.LESetPHY(connectionHandle: nowhere, preference: .both(.le2M))),
            try host.status(
                HCI.LEEnableEncryption(
                    connectionHandle: nowhere,
                    random: 0,
                    encryptedDiversifier: 0,
                    longTermKey: key
                )
            ),
            try host.status(
                HCI.LELongTermKeyRequestReply(connectionHandle: nowhere, longTermKey: key)
            ),
            try host.status(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: nowhere)),
            try host.status(HCI.LEReadPHY(connectionHandle: nowhere)),
            try host.status(HCI.LEReadChannelMap(connectionHandle: nowhere)),
            try host.status(HCI.ReadAuthenticatedPayloadTimeout(connectionHandle: nowhere)),
            try host.status(
                HCI.WriteAuthenticatedPayloadTimeout(
                    connectionHandle: nowhere,
                    timeout: HCI.Timeout(rawValue: 3_000)
                )
            ),
        ]
        #expect(codes == Array(repeating: .unknownConnectionIdentifier, count: codes.count))
    }

    @Test("Versions and features are exchanged over the air")
    func introduction() throws {
        let pair = try Pair()
        let handle = pair.centralHandle
        try pair.central.status(HCI.ReadRemoteVersionInformation(connectionHandle: handle))
        try pair.central.status(HCI.LEReadRemoteFeatures(connectionHandle: handle))
        pair.world.run(for: .milliseconds(200))
        #expect(pair.central.events.count == 2)
        guard case .readRemoteVersionInformationComplete(let version) = pair.central.events.first,
            case .readRemoteFeaturesComplete(let features) = pair.central.events.last
        else {
            Issue.record("\(pair.central.events)")
            return
        }
        #expect(version.version == ControllerConfiguration().linkVersion.version)
        #expect(features.features == ControllerConfiguration().linkFeatures)
        #expect(pair.peripheral.events.isEmpty)
    }

    @Test("Data is encrypted on the air and arrives", arguments: [UInt8(1), 2, 3])
    func encryption(byte: UInt8) throws {
        let pair = try Pair()
        pair.central.send([1, 0, 4, 0, byte], on: pair.centralHandle)
        try pair.encrypt()
        for host in [pair.central, pair.peripheral] {
            guard
                case .encryptionChange(let change) = host.events.last(where: {
                    if case .encryptionChange = $0 { true } else { false }
                })
            else {
                Issue.record("\(host.events)")
                return
            }
            #expect(change.status == .success && change.encryption == .on)
        }
        pair.central.send([1, 0, 4, 0, 10 + byte], on: pair.centralHandle)
        pair.peripheral.send([1, 0, 4, 0, 20 + byte], on: pair.peripheralHandle)
        pair.world.run(for: .milliseconds(200))
        #expect(pair.peripheral.data.map(\.payload.last) == [byte, 10 + byte])
        #expect(pair.central.data.map(\.payload.last) == [20 + byte])
        let (radio, handle) = (pair.central.id.radio, pair.centralHandle)
        let end = try #require(pair.world.core.ether.linkEnd(of: radio, handle))
        #expect(end.sendingKey != nil && end.sendingKey == end.receivingKey)
    }

    @Test("Different keys end the link")
    func wrongKey() throws {
        let pair = try Pair()
        try pair.encrypt(other: [UInt8](repeating: 0, count: 16))
        #expect(disconnection(pair.peripheral) == .messageIntegrityFailure)
        pair.world.run(for: .seconds(3))
        // The peripheral ended the link without a termination PDU.
        #expect(disconnection(pair.central) == .connectionTimeout)
    }

    @Test("A peripheral's host without the key refuses encryption")
    func noKey() throws {
        let pair = try Pair()
        let command = HCI.LEEnableEncryption(
            connectionHandle: pair.centralHandle,
            random: 0,
            encryptedDiversifier: 0,
            longTermKey: try #require(HCI.Key128([UInt8](1...16)))
        )
        #expect(try pair.central.status(command) == .success)
        pair.world.run(for: .milliseconds(200))
        let refusal = HCI.LELongTermKeyRequestNegativeReply(connectionHandle: pair.peripheralHandle)
        try pair.peripheral.perform(refusal)
        #expect(try pair.peripheral.status(refusal) == .commandDisallowed)
        pair.world.run(for: .milliseconds(200))
        guard case .encryptionChange(let change) = pair.central.events.last else {
            Issue.record("\(pair.central.events)")
            return
        }
        #expect(change.status == .pinOrKeyMissing)
        #expect(disconnection(pair.central) == nil)
    }

    @Test("The PHY changes during a stream without loss")
    func phy() throws {
        let pair = try Pair()
        let frames = (0..<10).map { [UInt8($0)] + [UInt8](repeating: 0, count: 99) }
        for frame in frames { pair.central.send(frame, on: pair.centralHandle) }
        let command = HCI.LESetPHY(
            connectionHandle: pair.centralHandle,
            preference: .both(.le2M)
        )
        #expect(try pair.central.status(command) == .success)
        pair.world.run(for: .seconds(1))
        for (host, handle) in [
            (pair.central, pair.centralHandle), (pair.peripheral, pair.peripheralHandle),
        ] {
            let phys = try host.perform(HCI.LEReadPHY(connectionHandle: handle))
            #expect(phys.transmit == .le2M && phys.receive == .le2M)
            #expect(
                host.events.contains { if case .phyUpdateComplete = $0 { true } else { false } }
            )
        }
        #expect(pair.peripheral.data.flatMap(\.payload) == frames.flatMap { $0 })
    }

    @Test("New connection parameters apply on both sides, and the link continues")
    func pace() throws {
        let pair = try Pair()
        let pace = HCI.ConnectionParameters(
            intervalMinimum: HCI.ConnectionInterval(.milliseconds(60)),
            intervalMaximum: HCI.ConnectionInterval(.milliseconds(60)),
            supervisionTimeout: HCI.Timeout(.seconds(3))
        )
        let command = HCI.LEConnectionUpdate(
            connectionHandle: pair.centralHandle,
            parameters: pace
        )
        #expect(try pair.central.status(command) == .success)
        #expect(try pair.central.status(command) == .commandDisallowed)
        pair.world.run(for: .seconds(10))
        for host in [pair.central, pair.peripheral] {
            guard case .connectionUpdateComplete(let complete) = host.events.first else {
                Issue.record("\(host.events)")
                return
            }
            #expect(complete.status == .success)
            #expect(complete.interval.duration == .milliseconds(60))
            #expect(disconnection(host) == nil)
        }
        #expect(pair.central.instants.first == pair.peripheral.instants.first)
    }

    @Test("Data length and channel map change, and can be read")
    func readings() throws {
        let pair = try Pair()
        let handle = pair.centralHandle
        try pair.central.perform(
            HCI.LESetDataLength(
                connectionHandle: handle,
                transmitBytes: 251,
                transmitTime: HCI.AirTime(rawValue: 2_120)
            )
        )
        try pair.central.perform(
            HCI.LESetHostChannelClassification(channels: HCI.ChannelMap(rawValue: 0xFFFF))
        )
        pair.world.run(for: .seconds(1))
        for (host, handle) in [
            (pair.central, handle), (pair.peripheral, pair.peripheralHandle),
        ] {
            guard case .dataLengthChange = host.events.first else {
                Issue.record("\(host.events)")
                return
            }
            let map = try host.perform(HCI.LEReadChannelMap(connectionHandle: handle))
            #expect(map.channels.rawValue == 0xFFFF)
        }
        try pair.central.perform(
            HCI.WriteAuthenticatedPayloadTimeout(
                connectionHandle: handle,
                timeout: HCI.Timeout(rawValue: 500)
            )
        )
        let timeout = try pair.central.perform(
            HCI.ReadAuthenticatedPayloadTimeout(connectionHandle: handle)
        )
        #expect(timeout.timeout.rawValue == 500)
    }

    @Test("Invalid parameters are refused")
    func illegal() throws {
        let pair = try Pair()
        func pace(_ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16)
            -> HCI
            .ConnectionParameters
        {
            HCI.ConnectionParameters(
                intervalMinimum: HCI.ConnectionInterval(rawValue: minimum),
                intervalMaximum: HCI.ConnectionInterval(rawValue: maximum),
                peripheralLatency: latency,
                supervisionTimeout: HCI.Timeout(rawValue: timeout)
            )
        }
        let paces = [
            pace(5, 24, 0, 100), pace(24, 12, 0, 100), pace(24, 3_201, 0, 3_200),
            pace(24, 24, 500, 3_200), pace(24, 24, 0, 9), pace(24, 24, 0, 3_201),
            pace(80, 80, 9, 200),
        ]
        for pace in paces {
            let command = HCI.LEConnectionUpdate(
                connectionHandle: pair.centralHandle,
                parameters: pace
            )
            #expect(try pair.central.status(command) == .invalidCommandParameters)
        }
    }
}
