// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

/// An event and its H4 packet, which was checked with two other implementations.
struct EventSample: Sendable, CustomTestStringConvertible {
    let event: HCI.Event
    let h4: String

    init(_ event: HCI.Event, _ h4: String) {
        self.event = event
        self.h4 = h4
    }

    var testDescription: String { "\(event.codes)" }
}

extension Sample {
    static let connection = HCI.LEEnhancedConnectionComplete(
        status: .success,
        connectionHandle: link,
        role: .central,
        peerAddress: peer,
        localPrivateAddress: .init(value: 0x4A00_0000_0001),
        peerPrivateAddress: .init(value: 0x5B00_0000_0002),
        interval: .init(rawValue: 24),
        peripheralLatency: 4,
        supervisionTimeout: .init(rawValue: 420),
        clockAccuracy: 5
    )
    static let legacyReport = HCI.AdvertisingReport(
        type: .connectable,
        address: peer,
        data: [2, 1, 6],
        rssi: -60
    )
    static let extendedReport = HCI.ExtendedAdvertisingReport(
        type: .init(rawValue: 0x0021),
        address: peer,
        primaryPHY: .le1M,
        secondaryPHY: .le2M,
        setIdentifier: 3,
        transmitPower: 127,
        rssi: -70,
        periodicInterval: .init(rawValue: 0),
        target: .none,
        data: [2, 1, 6, 3, 9, 0x4C, 0x79]
    )
}

extension EventSample {
    static let all = link + flow + le + advertising

    static let link: [EventSample] = [
        .init(
            .disconnectionComplete(
                .init(status: .success, connectionHandle: Sample.link, reason: .connectionTimeout)
            ),
            "04050400400008"
        ),
        .init(
            .encryptionChange(
                .init(status: .success, connectionHandle: Sample.link, encryption: .on)
            ),
            "04080400400001"
        ),
        .init(
            .encryptionChangeV2(
                .init(
                    status: .pinOrKeyMissing,
                    connectionHandle: Sample.link,
                    encryption: .off,
                    keySize: 16
                )
            ),
            "0459050640000010"
        ),
        .init(
            .encryptionKeyRefreshComplete(.init(status: .success, connectionHandle: Sample.link)),
            "043003004000"
        ),
        .init(
            .readRemoteVersionInformationComplete(
                .init(
                    status: .success,
                    connectionHandle: Sample.link,
                    version: .core5_3,
                    company: 0x005D,
                    subversion: 0x1234
                )
            ),
            "040c080040000c5d003412"
        ),
        .init(
            .authenticatedPayloadTimeoutExpired(.init(connectionHandle: Sample.link)),
            "0457024000"
        ),
    ]

    static let flow: [EventSample] = [
        .init(
            .commandComplete(
                .init(allowedPackets: 1, opcode: .readRSSI, returnParameters: [0, 0x40, 0, 0xC4])
            ),
            "040e07010514004000c4"
        ),
        .init(
            .commandStatus(
                .init(status: .commandDisallowed, allowedPackets: 2, opcode: .leCreateConnection)
            ),
            "040f040c020d20"
        ),
        .init(.hardwareError(.init(code: 0x42)), "04100142"),
        .init(
            .numberOfCompletedPackets(
                .init(completed: [
                    .init(connectionHandle: Sample.link, count: 2),
                    .init(connectionHandle: .init(rawValue: 0x41), count: 1),
                ])
            ),
            "041309024000020041000100"
        ),
        .init(.dataBufferOverflow(.init(linkType: 1)), "041a0101"),
    ]

    static let le: [EventSample] = [
        .init(
            .connectionComplete(
                .init(
                    status: .success,
                    connectionHandle: Sample.link,
                    role: .central,
                    peerAddress: Sample.peer,
                    interval: .init(rawValue: 24),
                    peripheralLatency: 4,
                    supervisionTimeout: .init(rawValue: 420),
                    clockAccuracy: 5
                )
            ),
            "043e1301004000000101000000f0c418000400a40105"
        ),
        .init(
            .enhancedConnectionComplete(Sample.connection),
            "043e1f0a004000000101000000f0c401000000004a02000000005b18000400a40105"
        ),
        .init(
            .enhancedConnectionCompleteV2(
                .init(connection: Sample.connection, advertisingHandle: 0xFF, syncHandle: 0xFFFF)
            ),
            "043e2229004000000101000000f0c401000000004a02000000005b18000400a40105ffff"
                + "ff"
        ),
        .init(
            .connectionUpdateComplete(
                .init(
                    status: .success,
                    connectionHandle: Sample.link,
                    interval: .init(rawValue: 40),
                    peripheralLatency: 0,
                    supervisionTimeout: .init(rawValue: 500)
                )
            ),
            "043e0a0300400028000000f401"
        ),
        .init(
            .remoteConnectionParameterRequest(
                .init(
                    connectionHandle: Sample.link,
                    intervalMinimum: .init(rawValue: 24),
                    intervalMaximum: .init(rawValue: 40),
                    peripheralLatency: 4,
                    supervisionTimeout: .init(rawValue: 420)
                )
            ),
            "043e0b064000180028000400a401"
        ),
        .init(
            .readRemoteFeaturesComplete(
                .init(
                    status: .success,
                    connectionHandle: Sample.link,
                    features: [.encryption, .le2M]
                )
            ),
            "043e0c040040000101000000000000"
        ),
        .init(
            .longTermKeyRequest(
                .init(
                    connectionHandle: Sample.link,
                    random: 0x0807_0605_0403_0201,
                    encryptedDiversifier: 0x1234
                )
            ),
            "043e0d05400001020304050607083412"
        ),
        .init(
            .dataLengthChange(
                .init(
                    connectionHandle: Sample.link,
                    transmitBytes: 251,
                    transmitTime: .init(rawValue: 2120),
                    receiveBytes: 27,
                    receiveTime: .init(rawValue: 328)
                )
            ),
            "043e0b074000fb0048081b004801"
        ),
        .init(
            .readLocalP256PublicKeyComplete(.init(status: .success, publicKey: Sample.publicKey)),
            "043e4208000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                + "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40"
        ),
        .init(
            .generateDHKeyComplete(.init(status: .success, secret: required(.init(1...32)))),
            "043e2209000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                + "20"
        ),
        .init(
            .phyUpdateComplete(
                .init(
                    status: .success,
                    connectionHandle: Sample.link,
                    transmit: .le2M,
                    receive: .leCoded
                )
            ),
            "043e060c0040000203"
        ),
        .init(
            .channelSelectionAlgorithm(.init(connectionHandle: Sample.link, algorithm: 1)),
            "043e0414400001"
        ),
    ]

    static let advertising: [EventSample] = [
        .init(
            .advertisingReports([
                Sample.legacyReport,
                .init(
                    type: .scanResponse,
                    address: .init(type: .public, value: 7),
                    data: [],
                    rssi: 127
                ),
            ]),
            "043e190202000101000000f0c403020106c40400070000000000007f"
        ),
        .init(
            .directedAdvertisingReports([
                .init(
                    type: .connectableDirected,
                    address: Sample.peer,
                    target: .init(type: .unresolved, value: 0x4A00_0000_0001),
                    rssi: -5
                )
            ]),
            "043e120b01010101000000f0c4fe01000000004afb"
        ),
        .init(
            .extendedAdvertisingReports([Sample.extendedReport]),
            "043e210d0121000101000000f0c40102037fba0000000000000000000702010603094c79"
        ),
        .init(.scanTimeout, "043e0111"),
        .init(
            .advertisingSetTerminated(
                .init(
                    status: .success,
                    advertisingHandle: 1,
                    connectionHandle: Sample.link,
                    completedEvents: 0
                )
            ),
            "043e06120001400000"
        ),
        .init(
            .scanRequestReceived(.init(advertisingHandle: 1, scanner: Sample.peer)),
            "043e0913010101000000f0c4"
        ),
    ]
}
