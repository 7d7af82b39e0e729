// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

@testable import BluetoothClients
@testable import CoreBluetooth

/// Intents for the tests of records.
enum RecordSamples {
    static func peer(_ number: Int) -> PeerIdentifier {
        PeerIdentifier(bytes: [UInt8](repeating: 0xAA, count: 15) + [UInt8(number)])
    }

    static func form(_ text: String) -> WrittenUUID { CBUUID(string: text).written }

    static let smallCentral: CentralIntents = {
        var intents = CentralIntents()
        var strap = CentralIntents.Peer(identifier: peer(1), name: "S", reconnects: true)
        strap.table = RemoteTable(services: [
            .init(
                origin: .init(
                    uuid: BluetoothUUID(0x180D),
                    isPrimary: true,
                    handle: AttributeHandle(0x0010),
                    endHandle: AttributeHandle(0x0015)
                ),
                characteristics: [
                    .init(
                        origin: .init(
                            uuid: BluetoothUUID(0x2A37),
                            handle: AttributeHandle(0x0011),
                            valueHandle: AttributeHandle(0x0012),
                            properties: .notify,
                            endHandle: AttributeHandle(0x0013)
                        ),
                        isNotifying: true,
                        descriptors: [
                            .init(uuid: BluetoothUUID(0x2902), handle: AttributeHandle(0x0013))
                        ]
                    )
                ]
            )
        ])
        intents.peers = [strap]
        intents.scan = .init(services: [form("FEAA")], allowsDuplicates: true)
        return intents
    }()

    static let smallCentralBytes = [
        "01", "0300617070",
        // A named peer that reconnects.
        "0100", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01", "01010053", "01",
        // A listed service whose included services were not discovered.
        "01", "0100", "10001500", "0101", "02180d", "00",
        // A subscribed characteristic with a descriptor.
        "01", "0100", "110012001300", "10", "01", "022a37", "01", "0100", "1300", "022902",
        // A scan with a list of services and duplicates.
        "01", "01", "0100", "02feaa", "0101", "00",
    ].joined()

    static let smallPeripheral = PeripheralManagerIntents(
        services: [
            AddedService(
                number: 7,
                uuid: "180D",
                isPrimary: true,
                includes: [],
                characteristics: [
                    AddedCharacteristic(
                        uuid: "2A37",
                        properties: [.read, .notify],
                        permissions: .readable,
                        value: [0x55],
                        descriptors: [AddedDescriptor(uuid: "2901", value: [0x41])]
                    )
                ],
                handle: 0x0020
            )
        ],
        advertisement: AdvertisementRequest(localName: "S", services: ["180D"])
    )

    static let smallPeripheralBytes = [
        "01", "0300617070",
        "0100", "07000000", "012000", "01", "02180d", "0000",
        "0100", "1200", "01", "022a37", "01010055", "0100", "022901", "010041",
        "01", "01010053", "0100", "02180d",
    ].joined()

    /// Intents with present values, missing values and empty lists.
    static let central: CentralIntents = {
        var intents = smallCentral
        intents.peers.append(.init(identifier: peer(2)))
        var services = intents.peers[0].table?.services ?? []
        services.append(
            .init(
                origin: .init(
                    uuid: BluetoothUUID(0x1820),
                    isPrimary: false,
                    handle: AttributeHandle(0x0020),
                    endHandle: AttributeHandle(0x0020)
                ),
                isListed: false,
                includes: [AttributeHandle(0x0010)],
                characteristics: []
            )
        )
        intents.peers.append(
            .init(identifier: peer(3), name: "Zoë", table: RemoteTable(services: services))
        )
        intents.peers.append(.init(identifier: peer(4), table: RemoteTable()))
        intents.scan = .init(
            services: [],
            solicited: [form("0000180D"), form("7905F431-B5CE-4E99-A40F-4B1E122D00D0")]
        )
        return intents
    }()

    static let peripheral = PeripheralManagerIntents(
        services: smallPeripheral.services + [
            AddedService(
                number: 9,
                uuid: "7905F431-B5CE-4E99-A40F-4B1E122D00D0",
                isPrimary: false,
                includes: [7],
                characteristics: [],
                handle: nil
            )
        ],
        advertisement: AdvertisementRequest()
    )
}
